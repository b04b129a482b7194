/** A fixed piece of work of the same sorts that the hot paths consist of: the unit in which their time is given. */

import Sqlite from 'better-sqlite3';

const ROUNDS = 6;
const RECORDS = 60;
const DIMENSIONS = 384;
const PRODUCTS = 200;
const ROWS = 1000;
const LOOKUPS = 100;

const SENTENCE = 'what was said about this and that, and by whom '.repeat(2);

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < DIMENSIONS; index += 1) sum += Number(a[index]) * Number(b[index]);
  return sum;
}

function countWords(texts: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size;
}

/** Until the loop is compiled it takes four times as long; that takes some hundred calls. */
const WARM_UP_CALLS = 300;

/** What it returns keeps the compiler from leaving anything out. */
export function calibrationLoop(): () => number {
  const records = Array.from({ length: RECORDS }, (_, index) => ({ id: `record-${index}`, text: SENTENCE, index }));
  const json = JSON.stringify(records);
  const vector = Float32Array.from({ length: DIMENSIONS }, (_, index) => Math.sin(index));
  const db = new Sqlite(':memory:');
  db.exec('CREATE TABLE records (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, body TEXT NOT NULL)');
  const insert = db.prepare('INSERT INTO records (name, body) VALUES (?, ?)');
  for (let row = 0; row < ROWS; row += 1) insert.run(`record-${row}`, SENTENCE);
  const find = db.prepare('SELECT id, name, body FROM records WHERE name = ?');
  const loop = (): number => {
    let sum = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const read = JSON.parse(json) as typeof records;
      sum += JSON.stringify(read).length + countWords(read.map(({ text }) => text));
      for (let product = 0; product < PRODUCTS; product += 1) sum += dot(vector, vector);
      for (let lookup = 0; lookup < LOOKUPS; lookup += 1) {
        if (find.get(`record-${(lookup * 7) % ROWS}`) !== undefined) sum += 1;
      }
    }
    return sum;
  };
  for (let call = 0; call < WARM_UP_CALLS; call += 1) loop();
  return loop;
}
