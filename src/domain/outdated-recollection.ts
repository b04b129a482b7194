/** Thrown where a search was answered from memory, and it turned out that what was remembered has changed: it is to be asked again. */

export class OutdatedRecollection extends Error {
  constructor() {
    super('What was remembered has changed.');
  }
}
