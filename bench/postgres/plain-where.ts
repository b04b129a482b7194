/** A statement of the engine's as somebody would write it who has no policies: with the same conditions in its WHERE. */

const OF_PARTITION = ['partitions', 'entries', 'entry_words', 'word_counts', 'embeddings'];
const OF_TENANT = ['entry_accesses', 'entry_versions'];

/** Every table becomes a subquery with the conditions of its policy, spelled out. */
export function withPlainWhere(sql: string, tenantId: string, userId: string): string {
  const tenant = `tenant_id = '${tenantId}'::uuid`;
  const audience = `(audience IS NULL OR audience = '${userId}')`;
  return sql.replace(/\b(FROM|JOIN)\s+lamina\.(\w+)/g, (whole, word: string, table: string) => {
    const conditions = OF_PARTITION.includes(table)
      ? `${tenant} AND ${audience}`
      : OF_TENANT.includes(table)
        ? tenant
        : '';
    return conditions === '' ? whole : `${word} (SELECT *, xmin, ctid FROM lamina.${table} WHERE ${conditions})`;
  });
}
