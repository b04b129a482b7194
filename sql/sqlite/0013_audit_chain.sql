-- Each entry of the audit log carries the hash of the one before it; see src/domain/audit-chain.ts. What was there before has
-- no link: the first one that has seals all of it.
ALTER TABLE audit_log ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
ALTER TABLE audit_log ADD COLUMN previous TEXT NOT NULL DEFAULT '';
ALTER TABLE audit_log ADD COLUMN hash TEXT NOT NULL DEFAULT '';

CREATE UNIQUE INDEX audit_log_chain ON audit_log (sequence) WHERE sequence > 0;

-- Nothing of it is changed but the name of someone who is erased, and nothing taken out.
CREATE TRIGGER audit_log_kept BEFORE UPDATE ON audit_log
WHEN NEW.id <> OLD.id OR NEW.action <> OLD.action OR NEW.details <> OLD.details OR NEW.at <> OLD.at
  OR NEW.sequence <> OLD.sequence OR NEW.previous <> OLD.previous OR NEW.hash <> OLD.hash
  OR (NEW.actor <> OLD.actor AND NEW.actor NOT GLOB 'sha256:*')
BEGIN
  SELECT RAISE(ABORT, 'the audit log is not changed');
END;

CREATE TRIGGER audit_log_whole BEFORE DELETE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'nothing is taken out of the audit log');
END;
