/** How the sections of a prompt are written, and what that takes. Pure. */

import { estimateTokens } from '../../domain/token-estimate.ts';
import { TURN_SECTIONS, type TurnSection } from '../../domain/turn.ts';
import { EXCERPT_MARK, LAYERS_NOTE, SECTION_FRAMES, TRUST_MARKS } from '../../domain/turn-prompt.ts';
import { asData } from './as-data.ts';
import type { TurnCandidate } from './candidate.ts';
import { layerMark, sharedLayer } from './layer-mark.ts';

const SECTION_BREAK = '\n\n';

/** What stands between two sections. */
export const BREAK_TOKENS: number = estimateTokens(SECTION_BREAK);

/** Its line; undefined where nothing of it can be seen. With `excerpt`, the line of that instead of all that it says. */
export function lineOf(candidate: TurnCandidate, excerpt?: string): string | undefined {
  const { label, condition, span, trust } = candidate;
  const content = excerpt ?? candidate.content;
  if (asData(content) === '') return undefined;
  const said = label === undefined ? content : `${label}: ${content}`;
  const applies = condition === undefined ? span : `when: ${condition}`;
  const text = asData(applies === undefined ? said : `${said} (${applies})`);
  const marks = [
    trust && TRUST_MARKS[trust],
    layerMark(candidate, text),
    excerpt === undefined ? undefined : EXCERPT_MARK,
  ];
  return `- ${[...marks.filter((mark) => mark !== undefined), text].join(' ')}`;
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

const LAYERS_NOTE_AFTER = ` ${LAYERS_NOTE}`;

/** Of what is added to the note of a section that has lines of a second group. */
export const LAYERS_NOTE_TOKENS: number = estimateTokens(LAYERS_NOTE_AFTER);

/** The sections that have lines, each with its heading and note. */
export function render(
  items: readonly (Pick<TurnCandidate, 'section' | 'name'> & { readonly line: string })[],
): string {
  const sections = TURN_SECTIONS.flatMap((section) => {
    const own = items.filter((item) => item.section === section);
    if (own.length === 0) return [];
    const groups = new Set(own.flatMap((item) => sharedLayer(item) ?? []));
    const note = groups.size > 1 ? LAYERS_NOTE_AFTER : '';
    return [[`${opening(section)}${note}`, ...own.map(({ line }) => line)].join('\n')];
  });
  return sections.join(SECTION_BREAK);
}
