-- When an entry was read: the latest times, newest first; see src/domain/access-times.ts.
ALTER TABLE lamina.entry_accesses ADD COLUMN access_times bigint[] NOT NULL DEFAULT '{}';
