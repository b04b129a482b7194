/** What texts that look alike to an embedding may still differ in. */

import { describe, expect, it } from 'vitest';
import { sameNames, sameStatement } from '../src/core/text/same-statement.ts';

describe('the same statement', () => {
  it.each([
    ['I am allergic to nuts', 'I am not allergic to nuts'],
    ['My number is 555-0101', 'My number is 555-0102'],
    ["She doesn't eat meat", 'She does eat meat'],
  ])('is not %j and %j', (one, other) => {
    expect(sameStatement(one, other)).toBe(false);
  });

  it('may be in other words', () => {
    expect(sameStatement('She doesn’t eat meat', 'Meat she does not eat')).toBe(true);
  });
});

describe('the same names', () => {
  it.each([
    ['the manager is Bob', 'the manager is Carol'],
    ['Bob runs the shop', 'Carol runs the shop'],
    ['Élise wohnt in Köln', 'Élise wohnt in Bonn'],
    ['The office is in Oslo, Norway', 'The office is in Bergen, Norway'],
  ])('are not in %j and %j', (one, other) => {
    expect(sameNames(one, other)).toBe(false);
  });

  it.each([
    ['The user lives in Lisbon', 'User lives in Lisbon, Portugal'],
    ["Bob's shop", 'the shop of BOB'],
    ['I like tea', 'we like tea'],
    ['', ''],
  ])('are in %j and %j', (one, other) => {
    expect(sameNames(one, other)).toBe(true);
  });
});
