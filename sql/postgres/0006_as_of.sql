-- What was changed since a moment, partition by partition: as of then it stood as one of its versions.
CREATE INDEX entries_changed ON lamina.entries (tenant_id, partition_id, updated_at, id) WHERE version > 1;
