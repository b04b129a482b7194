/** Which statements are prepared, and under which name: those that come first, which are those that come often. */

/** Each has a place in the memory of each connection; filters make others, as many as callers like. */
const MAX_PREPARED = 200;

export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #prefix: string;
  readonly #max: number;

  constructor(prefix: string, isOn: boolean) {
    this.#prefix = prefix;
    this.#max = isOn ? MAX_PREPARED : 0;
  }

  of(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= this.#max) return known;
    const name = `${this.#prefix}${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}
