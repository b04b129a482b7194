/** Times in a question and in what is said: dates that are named, that a time is asked for, words that say when. English. */

const DAY_MS = 86_400_000;

/** What is told of a day is often told the day after, and in another time zone. */
const TOLERANCE_MS = 2 * DAY_MS;

const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const;

const MONTH = `(?:${MONTHS.join('|')})`;
const YEAR = '(?:19|20)\\d\\d';
const DAY = '(?:[12]\\d|3[01]|0?[1-9])(?:st|nd|rd|th)?';

const ISO_DATE = new RegExp(`\\b(${YEAR})-(\\d\\d)(?:-(\\d\\d))?\\b`, 'gu');
/** "5 May, 2023", "the 5th of May". */
const DAY_FIRST = new RegExp(`\\b(${DAY})(?:\\s+of)?\\s+(${MONTH})\\b(?:,?\\s+(?:of\\s+)?(${YEAR}))?`, 'giu');
/** "May 5, 2023", "May 2023". */
const MONTH_FIRST = new RegExp(
  `\\b(${MONTH})\\s+(?:(${DAY})\\b(?:,?\\s+(${YEAR}))?|(?:of\\s+)?(${YEAR}))(?!\\d)`,
  'giu',
);
/** "in May": a word before it tells the month from what may be, and from a march. */
const MONTH_ALONE = new RegExp(
  `\\b(?:in|of|by|during|since|before|after|until|till|early|late|mid|this|last|next)[\\s-]+(${MONTH})\\b`,
  'giu',
);
const YEAR_ALONE = new RegExp(
  `\\b(?:in|of|by|during|since|before|after|until|early|late|mid)[\\s-]+(${YEAR})\\b`,
  'giu',
);

/** A time as it is named: a day, a month or a year, perhaps of any year. Months count from 0. */
interface NamedTime {
  readonly year?: number | undefined;
  readonly month?: number | undefined;
  readonly day?: number | undefined;
}

/** Whether something happened then. Undefined where no time is named. */
export type TimeTest = (at: number) => boolean;

/** The times that a question names, as a test of a time in milliseconds, with two days of tolerance. */
export function timesNamed(question: string): TimeTest | undefined {
  const times = namedTimes(question);
  return times.length === 0 ? undefined : (at) => times.some((time) => isAt(time, at));
}

function namedTimes(question: string): NamedTime[] {
  const times: NamedTime[] = [];
  let rest = question;
  // What was read as part of one time is not another.
  const read = (pattern: RegExp, timeOf: (groups: readonly (string | undefined)[]) => NamedTime): void => {
    rest = rest.replace(pattern, (...found: unknown[]) => {
      times.push(timeOf(found.map((group) => (typeof group === 'string' ? group : undefined))));
      return ' ';
    });
  };
  read(ISO_DATE, ([, year, month, day]) => ({ year: num(year), month: (num(month) ?? 1) - 1, day: num(day) }));
  read(DAY_FIRST, ([, day, month, year]) => ({ year: num(year), month: monthOf(month), day: num(day) }));
  read(MONTH_FIRST, ([, month, day, year, only]) => ({
    year: num(year ?? only),
    month: monthOf(month),
    day: num(day),
  }));
  read(MONTH_ALONE, ([, month]) => ({ month: monthOf(month) }));
  read(YEAR_ALONE, ([, year]) => ({ year: num(year) }));
  return times;
}

function num(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

function monthOf(name: string | undefined): number {
  return MONTHS.indexOf((name ?? '').toLowerCase() as (typeof MONTHS)[number]);
}

function isAt({ year, month, day }: NamedTime, at: number): boolean {
  // December may be named in January.
  const around = new Date(at).getUTCFullYear();
  const years = year === undefined ? [around - 1, around, around + 1] : [year];
  return years.some((each) => {
    const start = Date.UTC(each, month ?? 0, day ?? 1);
    const end =
      month === undefined ? Date.UTC(each + 1, 0) : day === undefined ? Date.UTC(each, month + 1) : start + DAY_MS;
    return at >= start - TOLERANCE_MS && at < end + TOLERANCE_MS;
  });
}

const ASKS_WHEN =
  /^\W*when\b|\b(?:(?:what|which) (?:date|day|month|year|time)|how long|since when|how many (?:days|weeks|months|years) ago)\b/iu;

/** Whether a question asks for a time. */
export function asksWhen(question: string): boolean {
  return ASKS_WHEN.test(question);
}

const SAYS_WHEN = new RegExp(
  '\\b(?:yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|days?|mornings?|evenings?|nights?|' +
    'mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|since|recently|' +
    `summer|winter|spring|autumn|fall|${MONTHS.join('|')}|${YEAR})\\b`,
  'i',
);

/** Whether something that is said has words that say when. */
export function saysWhen(text: string): boolean {
  return SAYS_WHEN.test(text);
}
