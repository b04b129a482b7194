/** Thrown inside a transaction whose vectors are no longer of the spaces in use: it is rolled back. */

export class OutdatedSpaces extends Error {
  constructor() {
    super('The embedding model was changed meanwhile.');
  }
}
