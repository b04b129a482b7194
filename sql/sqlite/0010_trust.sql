-- How far a text is trusted, by where it came from: see src/domain/trust.ts. What was there before by what is known of it.
ALTER TABLE entries ADD COLUMN trust TEXT NOT NULL DEFAULT 'agent';

UPDATE entries SET trust = CASE
  WHEN source_type IN ('knowledge_sync', 'import') THEN 'outside'
  WHEN source_type IN ('tool', 'tool_result') OR role = 'tool' THEN 'tool'
  WHEN source_type IN ('agent', 'workflow', 'system') OR role IN ('assistant', 'system') THEN 'agent'
  WHEN json_extract(identifiers, '$.agentId') IS NOT NULL AND (role IS NULL OR kind <> 'episodic') THEN 'agent'
  ELSE 'user' END;

ALTER TABLE facts ADD COLUMN trust TEXT NOT NULL DEFAULT 'agent';

UPDATE facts SET trust = CASE
  WHEN source_type IN ('knowledge_sync', 'import') THEN 'outside'
  WHEN source_type IN ('tool', 'tool_result') THEN 'tool'
  WHEN source_type IN ('agent', 'workflow', 'system') THEN 'agent'
  ELSE 'user' END;
