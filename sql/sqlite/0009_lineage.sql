-- Which memories were promoted from a memory: a copy names what it was made from, and nothing names the copy.
CREATE INDEX entries_promoted_from ON entries (json_extract(provenance, '$.promotedFromEntry'))
  WHERE json_extract(provenance, '$.promotedFromEntry') IS NOT NULL;
