/** Thrown where something is sealed with a key that this process does not know yet: it reads the keys again. */

export class UnknownKey extends Error {
  readonly keyId: string;

  constructor(keyId: string) {
    super(`Something is sealed with the data key ${keyId}, which is not known.`);
    this.keyId = keyId;
  }
}
