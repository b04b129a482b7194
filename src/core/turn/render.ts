/** How the sections of a prompt are written, and what that takes. Pure. */

import { estimateTokens } from '../../domain/token-estimate.ts';
import { TURN_SECTIONS, type TurnSection } from '../../domain/turn.ts';
import { SECTION_FRAMES, TRUST_MARKS } from '../../domain/turn-prompt.ts';
import { asData } from './as-data.ts';
import type { TurnCandidate } from './candidate.ts';

const SECTION_BREAK = '\n\n';

/** What stands between two sections. */
export const BREAK_TOKENS: number = estimateTokens(SECTION_BREAK);

/** Its line; undefined where nothing of it can be seen. */
export function lineOf({ label, content, condition, trust }: TurnCandidate): string | undefined {
  if (asData(content) === '') return undefined;
  const said = label === undefined ? content : `${label}: ${content}`;
  const mark = trust && TRUST_MARKS[trust];
  return `- ${mark === undefined ? '' : `${mark} `}${asData(condition === undefined ? said : `${said} (when: ${condition})`)}`;
}

/** Of a line, with the break before it. */
export function lineTokens(line: string): number {
  return estimateTokens(`\n${line}`);
}

/** Of a section without lines, with the break before it. */
export function frameTokens(section: TurnSection): number {
  return BREAK_TOKENS + estimateTokens(opening(section));
}

function opening(section: TurnSection): string {
  const { heading, note } = SECTION_FRAMES[section];
  return `${heading}\n${note}`;
}

/** The sections that have lines, each with its heading and note. */
export function render(items: readonly { readonly section: TurnSection; readonly line: string }[]): string {
  const sections = TURN_SECTIONS.flatMap((section) => {
    const lines = items.filter((item) => item.section === section).map(({ line }) => line);
    return lines.length === 0 ? [] : [[opening(section), ...lines].join('\n')];
  });
  return sections.join(SECTION_BREAK);
}
