/** Texts that are made to keep a regular expression busy keep none of ours: each is through in a moment. */

import { expect, it } from 'vitest';
import { lexemesOf, possibleNames, queryTerms } from '../src/core/text/lexemes.ts';
import { saysWhen, timesNamed } from '../src/core/text/named-times.ts';
import { suspicionsIn } from '../src/core/trust/suspicions.ts';
import { asData } from '../src/core/turn/as-data.ts';
import { redact } from '../src/domain/redaction.ts';
import { SLOW_TEXTS } from './fuzz/hostile-values.ts';

/** Of processor time, whatever else the machine does. What tries again from each place took more than a second. */
const MOST_MS = 500;

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  lexemesOf,
  queryTerms,
  possibleNames,
  timesNamed,
  saysWhen,
  suspicionsIn,
  asData,
  redact,
};

it.each(Object.entries(READERS))('%s', { timeout: 60_000 }, (_, reads) => {
  // Compiled first.
  reads('The first words.');
  const slow = SLOW_TEXTS.filter((text) => {
    const before = process.cpuUsage();
    reads(text);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 > MOST_MS;
  });
  expect(slow.map((text) => text.slice(0, 20))).toEqual([]);
});
