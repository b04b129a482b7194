/** The names of the formats, for the command line: apart from the formats, which are loaded where one is read. */

export const AUTO = 'auto';

export const FORMAT_NAMES = ['mem0', 'mcp-memory', 'langgraph', 'chatgpt', 'claude', 'markdown', AUTO] as const;

export type FormatName = Exclude<(typeof FORMAT_NAMES)[number], typeof AUTO>;
