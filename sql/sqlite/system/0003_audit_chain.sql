-- Linked as the logs of tenants are; one chain for all of them. Also holds what was done to all tenants at once: then the hash of
-- the tenant is empty.
ALTER TABLE audit_log ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit_log ADD COLUMN previous TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN hash TEXT NOT NULL DEFAULT '';

CREATE UNIQUE INDEX audit_log_chain ON audit_log (sequence) WHERE sequence > 0;

CREATE TRIGGER audit_log_kept BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'the audit log is not changed');
END;

CREATE TRIGGER audit_log_whole BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'nothing is taken out of the audit log');
END;
