-- breaking: a Lamina that does not know of the chain would write entries without links.
-- Each entry of the audit log carries the hash of the one before it; see src/domain/audit-chain.ts. What was there before has
-- no link: the first one that has seals all of it. What outlives tenants is one chain for all of them, and also holds what was
-- done to all of them at once: then the hash of the tenant is empty.
ALTER TABLE lamina.audit_log
  ADD COLUMN sequence bigint NOT NULL DEFAULT 0,
  ADD COLUMN previous text NOT NULL DEFAULT '',
  ADD COLUMN hash text NOT NULL DEFAULT '';
ALTER TABLE lamina.erased_tenants
  ADD COLUMN sequence bigint NOT NULL DEFAULT 0,
  ADD COLUMN previous text NOT NULL DEFAULT '',
  ADD COLUMN hash text NOT NULL DEFAULT '';

CREATE UNIQUE INDEX audit_log_chain ON lamina.audit_log (tenant_id, sequence) WHERE sequence > 0;
CREATE UNIQUE INDEX erased_tenants_chain ON lamina.erased_tenants (sequence) WHERE sequence > 0;

-- Nothing of it is changed but the name of someone who is erased, and nothing taken out but with its tenant.
REVOKE UPDATE, DELETE ON lamina.audit_log, lamina.erased_tenants FROM lamina_service;
GRANT UPDATE (actor) ON lamina.audit_log TO lamina_service;

CREATE FUNCTION lamina.audit_log_changing() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    -- By the trigger or the reference of a tenant that goes.
    IF pg_trigger_depth() > 1 THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'nothing is taken out of the audit log';
  END IF;
  IF (to_jsonb(NEW) - 'actor') = (to_jsonb(OLD) - 'actor')
    AND NEW.actor IN (OLD.actor, 'sha256:' || encode(sha256(convert_to(OLD.actor, 'UTF8')), 'hex'))
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the audit log is not changed';
END $$;

CREATE TRIGGER audit_log_changing BEFORE UPDATE OR DELETE ON lamina.audit_log
  FOR EACH ROW EXECUTE FUNCTION lamina.audit_log_changing();
CREATE TRIGGER erased_tenants_changing BEFORE UPDATE OR DELETE ON lamina.erased_tenants
  FOR EACH ROW EXECUTE FUNCTION lamina.audit_log_changing();
REVOKE EXECUTE ON FUNCTION lamina.audit_log_changing() FROM PUBLIC;
