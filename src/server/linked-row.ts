/**
 * What is under way, in the order in which it began, and out of whose middle anything can leave.
 *
 * A `Set` does the same, but each request is added and removed: every few dozen of them it moves into a new table, and V8 lets the
 * tables that it has left point to the next. Once one of them is old, it keeps all that follow, and whatever was in them at the
 * time, until the old generation is collected: measured, every request, with its headers and its answer, and a third of the time.
 */

/** In at most one row at a time. */
export interface RowMember<T> {
  earlier: T | undefined;
  later: T | undefined;
  isInRow: boolean;
}

export class LinkedRow<T extends RowMember<T>> {
  #first: T | undefined;
  #last: T | undefined;
  #size = 0;

  get first(): T | undefined {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  /** At the end. */
  add(member: T): void {
    member.earlier = this.#last;
    member.isInRow = true;
    if (this.#last === undefined) this.#first = member;
    else this.#last.later = member;
    this.#last = member;
    this.#size += 1;
  }

  /** False if it is not in it any more. */
  delete(member: T): boolean {
    if (!member.isInRow) return false;
    const { earlier, later } = member;
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
    // One that has left must not keep its neighbours either.
    member.earlier = undefined;
    member.later = undefined;
    member.isInRow = false;
    this.#size -= 1;
    return true;
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (let member = this.#first; member !== undefined; member = member.later) yield member;
  }
}
