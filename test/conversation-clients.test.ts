/** Four kinds of programs that send conversations without ids: nothing said is lost, and nothing is stored twice. */

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { align } from '../src/core/extraction/alignment.ts';
import { RETRIED_WITHIN_MS } from '../src/core/extraction/plan-turns.ts';
import type { Line, Turn } from '../src/core/extraction/turn-likeness.ts';

/** What a user says and what the agent answers: small talk, so that much is said again. */
const exchange = fc.tuple(fc.constantFrom('hi', 'next', 'ok'), fc.constantFrom('Hello!', 'Done.'));

interface Call {
  readonly exchange: readonly [string, string];
  /** How often its answer is lost, and it is sent again at once. */
  readonly retries: number;
  /** Whether it never arrives. */
  readonly isLost: boolean;
}

const call = fc.record({
  exchange,
  retries: fc.integer({ min: 0, max: 2 }),
  isLost: fc.constant(false),
});

const calls = fc.array(call, { minLength: 1, maxLength: 12 });

/** A conversation, stored as the service stores it. */
class Store {
  readonly #turns: (Turn & { readonly storedAt: number })[] = [];
  now = 0;

  send(said: readonly Line[]): void {
    const turns = this.#turns.map((turn) => ({
      ...turn,
      isExpectedAgain: this.now - turn.storedAt <= RETRIED_WITHIN_MS,
    }));
    const places = align(said, turns);
    for (const [at, line] of said.entries()) {
      if (places[at] === undefined) this.#turns.push({ ...line, turn: this.#turns.length + 1, storedAt: this.now });
    }
  }

  get texts(): string[] {
    return this.#turns.map(({ contentHash }) => contentHash);
  }
}

function linesOf([asked, answered]: readonly [string, string]): Line[] {
  return [
    { role: 'user', contentHash: asked },
    { role: 'assistant', contentHash: answered },
  ];
}

/** Sends after each exchange what the program would send, and gives what is stored in the end. */
function stored(
  talk: readonly Call[],
  gapMs: number,
  sent: (said: readonly Line[], last: readonly Line[]) => Line[][],
): string[] {
  const store = new Store();
  const said: Line[] = [];
  for (const { exchange: latest, retries, isLost } of talk) {
    const lines = linesOf(latest);
    said.push(...lines);
    if (!isLost) {
      for (const list of sent(said, lines)) for (let times = 0; times <= retries; times += 1) store.send(list);
    }
    store.now += gapMs;
  }
  return store.texts;
}

const textsOf = (talk: readonly Call[]): string[] => talk.flatMap(({ exchange: said }) => said);

/** Exchanges without those that are just like the one before. */
function withoutRepeats(talk: readonly Call[]): Call[] {
  return talk.filter(({ exchange: said }, at) => said.join() !== talk[at - 1]?.exchange.join());
}

const LONG = RETRIED_WITHIN_MS + 1;
const SHORT = 5000;
const gap = fc.constantFrom(SHORT, LONG);

describe('a program that sends', () => {
  it('the whole conversation each time loses nothing and stores nothing twice, even where a call never arrived', () => {
    const perhapsLost = fc.array(fc.record({ exchange, retries: fc.nat(2), isLost: fc.boolean() }), { maxLength: 12 });
    fc.assert(
      fc.property(perhapsLost, call, gap, (talk, last, gapMs) => {
        const all = [...talk, last];
        expect(stored(all, gapMs, (said) => [[...said]])).toEqual(textsOf(all));
      }),
    );
  });

  it('a window of the last messages loses nothing and stores nothing twice', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 3, max: 9 }), (talk, size) => {
        expect(stored(talk, LONG, (said) => [said.slice(-size)])).toEqual(textsOf(talk));
      }),
    );
  });

  it('a window that is the same as the one before, within two minutes, is taken to be sent again', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 2, max: 4 }), (talk, exchanges) => {
        const isTold = (at: number): boolean =>
          at < exchanges ||
          new Set(talk.slice(at - exchanges, at + 1).map(({ exchange: said }) => said.join())).size > 1;
        const told = talk.filter((_, at) => isTold(at));
        expect(stored(talk, SHORT, (said) => [said.slice(-2 * exchanges)])).toEqual(textsOf(told));
      }),
    );
  });

  it('only what is new, exchange by exchange, loses nothing and stores nothing twice', () => {
    fc.assert(
      fc.property(calls, (talk) => {
        expect(stored(talk, LONG, (_, last) => [[...last]])).toEqual(textsOf(talk));
      }),
    );
  });

  it('only what is new loses within two minutes what is just like the exchange before, and nothing else', () => {
    // The first question with another answer, while nothing else was asked, counts as answered anew.
    const other: Call = { exchange: ['set a timer', 'Done.'], retries: 1, isLost: false };
    fc.assert(
      fc.property(call, calls, (opening, rest) => {
        const talk = [opening, other, ...rest];
        expect(stored(talk, SHORT, (_, last) => [[...last]])).toEqual(textsOf(withoutRepeats(talk)));
      }),
    );
  });

  it('message by message loses nothing and stores nothing twice', () => {
    fc.assert(
      fc.property(calls, gap, (talk, gapMs) => {
        expect(stored(talk, gapMs, (_, last) => last.map((line) => [line]))).toEqual(textsOf(talk));
      }),
    );
  });

  it('the question first and the exchange after it stores the question once', () => {
    fc.assert(
      fc.property(calls, (talk) => {
        expect(stored(talk, LONG, (_, last) => [last.slice(0, 1), [...last]])).toEqual(textsOf(talk));
      }),
    );
  });
});
