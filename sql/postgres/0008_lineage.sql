-- Which memories were promoted from a memory: a copy names what it was made from, and nothing names the copy. Under
-- row-level security an index can be entered by leakproof operators only, which those of JSON are not: so the index holds
-- the few memories that were promoted at all, and these are looked through.
CREATE INDEX entries_promoted ON lamina.entries (tenant_id, seq) WHERE provenance ->> 'promotedFromEntry' IS NOT NULL;
