/** Thrown if a search was answered from a cache that turned out to be stale: the search must be repeated. */

export class OutdatedRecollection extends Error {
  constructor() {
    super('What was remembered has changed.');
  }
}
