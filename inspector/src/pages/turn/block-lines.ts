/** The lines of a prompt, each with what the receipt says of it. Pure. */

import {
  TURN_SECTIONS,
  type TurnContextOutput,
  type TurnSection,
  type TurnTaken,
} from '../../../../src/domain/turn.ts';
import { MESSAGE_HEADING, SECTION_FRAMES } from '../../../../src/domain/turn-prompt.ts';

export interface BlockLine {
  readonly text: string;
  readonly part: 'heading' | 'note' | 'item' | 'message' | 'gap';
  readonly section?: TurnSection;
  /** Of an item. */
  readonly taken?: TurnTaken;
}

/** What memory adds has one line per item, in the order of the receipt: what follows the context is the message. */
export function blockLines({ prompt, context, receipt }: TurnContextOutput): BlockLine[] {
  const added = context === '' ? [] : context.split('\n');
  const rest = prompt.slice(context.length).split('\n');
  return [...sectionLines(added, receipt.taken), ...messageLines(context === '' ? rest : rest.slice(1))];
}

function sectionLines(lines: readonly string[], taken: readonly TurnTaken[]): BlockLine[] {
  const items = taken.values();
  let section: TurnSection | undefined;
  let isAfterHeading = false;
  return lines.map((text) => {
    const opened = TURN_SECTIONS.find((name) => SECTION_FRAMES[name].heading === text);
    if (opened !== undefined) {
      section = opened;
      isAfterHeading = true;
      return { text, part: 'heading', section };
    }
    const wasAfterHeading = isAfterHeading;
    isAfterHeading = false;
    const of = section === undefined ? {} : { section };
    if (wasAfterHeading) return { text, part: 'note', ...of };
    if (text === '') return { text, part: 'gap' };
    const { value } = items.next();
    return { text, part: 'item', ...of, ...(value !== undefined && { taken: value }) };
  });
}

function messageLines(lines: readonly string[]): BlockLine[] {
  return lines.map((text) => {
    if (text === MESSAGE_HEADING) return { text, part: 'heading' };
    return { text, part: text === '' ? 'gap' : 'message' };
  });
}

export interface BudgetPart {
  readonly name: TurnSection | 'frame';
  readonly tokens: number;
  readonly count: number;
}

/** What the tokens went to: the items of each section, and the headings around them. */
export function budgetParts({ taken, tokensUsed }: TurnContextOutput['receipt']): BudgetPart[] {
  const sections = TURN_SECTIONS.map((name) => {
    const own = taken.filter(({ section }) => section === name);
    return { name, count: own.length, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) };
  }).filter(({ count }) => count > 0);
  const frame = tokensUsed - sections.reduce((sum, { tokens }) => sum + tokens, 0);
  return frame <= 0 ? sections : [...sections, { name: 'frame', count: sections.length, tokens: frame }];
}
