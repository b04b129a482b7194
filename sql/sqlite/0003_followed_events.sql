-- Who may see an event: everyone (empty), or one user; and of that user's agents perhaps only one (empty: all of them).
-- What is known of an entry that is gone does not say whose it was: its events are shown to nobody. No user has a name
-- of more than 100 characters.
ALTER TABLE events ADD COLUMN audience TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';

UPDATE events SET
  audience = coalesce(
    (SELECT CASE WHEN e.visibility = 'private' THEN e.owner_id ELSE '' END FROM entries e WHERE e.id = events.entry_id),
    printf('%.101c', '?')),
  agent_id = coalesce(
    (SELECT json_extract(e.identifiers, '$.agentId') FROM entries e
     WHERE e.id = events.entry_id AND e.layer = 'agent' AND e.visibility = 'private'),
    '');

-- A file that was deleted with its tenant and made anew counts its events from the beginning: positions of the old one
-- must not be taken for positions of the new one.
CREATE TABLE event_epoch (
  id    INTEGER PRIMARY KEY CHECK (id = 1),
  epoch TEXT    NOT NULL
) STRICT;

INSERT INTO event_epoch (id, epoch) VALUES (1, lower(hex(randomblob(6))));
