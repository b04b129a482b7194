/** Pieces of Markdown that read the same in the repository and on the site. */

const NOTICE = '<!-- Written by scripts/generate-docs.ts. Change the table in the source, then run it again. -->';

export const code = (text: string): string => `\`${text}\``;

/** Cells are Markdown; line breaks and bars are taken care of. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Text that is Markdown as far as `code` and **bold** go; what would be a tag or a template elsewhere is not taken for one. */
export function prose(text: string): string {
  const parts = text.split(/(`[^`]*`)/);
  return parts.map((part, at) => (at % 2 === 1 ? part : escaped(part))).join('');
}

const BOLD_OR_STAR = /\*\*[^*]+\*\*|\*/g;

function escaped(text: string): string {
  return text
    .replaceAll('<', '&lt;')
    .replaceAll('{{', '&#123;&#123;')
    .replace(BOLD_OR_STAR, (found) => (found === '*' ? '\\*' : found));
}

export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** A whole page: parts with an empty line between them. */
export function page(title: string, ...parts: readonly string[]): string {
  return `${[`# ${title}`, NOTICE, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
}

/** `Recall receipts` as `recall-receipts`. */
export function fileNameOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-');
}
