-- When an entry was read: the latest times, newest first, as JSON; see src/domain/access-times.ts. Null where none was kept.
ALTER TABLE entries ADD COLUMN access_times TEXT;
