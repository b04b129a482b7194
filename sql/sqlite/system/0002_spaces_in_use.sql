-- Which embedding spaces are in use, since the model was first changed: one row, the same for all tenants.
CREATE TABLE spaces_in_use (
  id       INTEGER PRIMARY KEY CHECK (id = 1),
  revision INTEGER NOT NULL,
  state    TEXT    NOT NULL -- JSON: see src/ports/space-store.ts
) STRICT;
