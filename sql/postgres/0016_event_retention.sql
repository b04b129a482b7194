-- Old events go some day. The last that went: whoever has not read as far has missed something, and must be told. Positions also
-- name transactions that were under way: of the last that had events which went, it is known which they were. All of it is empty
-- while nothing went. It does not stand among the events, which a dump leaves out: on a server that has not come to such a number
-- yet it is of another server, and says nothing.
ALTER TABLE lamina.tenants
  ADD COLUMN pruned_transaction bigint,
  ADD COLUMN pruned_seq bigint,
  ADD COLUMN pruned_lately bigint[];
