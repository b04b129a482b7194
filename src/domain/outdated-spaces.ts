/** Thrown inside a transaction whose vectors are not those that the database wants by now: it leaves no trace. */

export class OutdatedSpaces extends Error {
  constructor() {
    super('The embedding model was changed meanwhile.');
  }
}
