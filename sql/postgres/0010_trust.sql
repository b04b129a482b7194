-- How far a text is trusted, by where it came from: see src/domain/trust.ts. What was there before by what is known of it. Not by
-- an update: row-level security hides the rows from whoever migrates, and each of them would be indexed anew.
ALTER TABLE lamina.entries ADD COLUMN trust text;
ALTER TABLE lamina.entries ALTER COLUMN trust TYPE text USING CASE
  WHEN source_type IN ('knowledge_sync', 'import') THEN 'outside'
  WHEN source_type IN ('tool', 'tool_result') OR role = 'tool' THEN 'tool'
  WHEN source_type IN ('agent', 'workflow', 'system') OR role IN ('assistant', 'system') THEN 'agent'
  WHEN identifiers ->> 'agentId' IS NOT NULL AND (role IS NULL OR kind <> 'episodic') THEN 'agent'
  ELSE 'user' END;
ALTER TABLE lamina.entries ALTER COLUMN trust SET DEFAULT 'agent', ALTER COLUMN trust SET NOT NULL;

ALTER TABLE lamina.facts ADD COLUMN trust text;
ALTER TABLE lamina.facts ALTER COLUMN trust TYPE text USING CASE
  WHEN source_type IN ('knowledge_sync', 'import') THEN 'outside'
  WHEN source_type IN ('tool', 'tool_result') THEN 'tool'
  WHEN source_type IN ('agent', 'workflow', 'system') THEN 'agent'
  ELSE 'user' END;
ALTER TABLE lamina.facts ALTER COLUMN trust SET DEFAULT 'agent', ALTER COLUMN trust SET NOT NULL;
