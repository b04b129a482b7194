/** Text into HTML, safely. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** The pieces of Markdown that descriptions use: `code` and **bold**. */
export function inlineMarkdown(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`|\*\*([^*]+)\*\*/g, (_, code?: string, bold?: string) =>
    code === undefined ? `<strong>${bold}</strong>` : `<code>${code}</code>`,
  );
}
