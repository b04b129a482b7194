/** Where the documentation keeps the latest run under load: tables between two marks. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'benchmarks.md');
const BEGIN = '<!-- load: written by npm run bench:load -->';
const END = '<!-- load: end -->';

/** Throws where the marks are gone. */
export function writeLoadDocs(report: string): void {
  const text = readFileSync(PAGE, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} has no place for the tables: ${BEGIN} … ${END}.`);
  writeFileSync(PAGE, `${text.slice(0, begin)}${BEGIN}\n\n\`\`\`\n${report}\n\`\`\`\n\n${text.slice(end)}`);
}
