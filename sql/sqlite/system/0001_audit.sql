-- What must outlive a tenant: that it was erased, when and how much. Names neither the tenant nor who did it.
CREATE TABLE audit_log (
  id          TEXT    PRIMARY KEY,
  tenant_hash TEXT    NOT NULL, -- SHA-256 of the tenant's id
  action      TEXT    NOT NULL,
  actor       TEXT    NOT NULL,
  details     TEXT    NOT NULL,
  at          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_log_page ON audit_log (tenant_hash, at, id);
