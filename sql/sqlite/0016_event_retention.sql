-- Old events go some day. The last that went: whoever has not read as far has missed something, and must be told.
ALTER TABLE event_epoch ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;
