/** What searches of an engine may hold in memory, of all tenants together, where nobody says: in bytes. */
export const DEFAULT_SEARCH_BYTES: number = 256 * 1024 * 1024;
