/** Marks: what stands in an index for a text that is not to be read there. Equal texts have equal marks, in one tenant. */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { canonicalJson } from '../domain/json.ts';
import { altered } from './sealed-text.ts';

/** 96 bits: no two of a tenant's words meet by chance. */
const MARK_BYTES = 12;
const IV_BYTES = 16;

/** The words that are used the most are hashed once. */
const MAX_KNOWN = 20_000;

const FIXED = 'lamf1:';

export class Marks {
  readonly #keys: Readonly<Record<'mark' | 'authentic' | 'cipher', Buffer>>;
  readonly #known = new LRUCache<string, string>({ max: MAX_KNOWN });

  constructor(indexKey: Uint8Array) {
    const derived = (name: string): Buffer => Buffer.from(hkdfSync('sha256', indexKey, '', `lamina ${name}`, 32));
    this.#keys = { mark: derived('mark'), authentic: derived('authentic'), cipher: derived('cipher') };
  }

  /** In the text index. */
  word(lexeme: string): string {
    return this.#mark('word', lexeme);
  }

  tag(tag: string): string {
    return this.#mark('tag', tag);
  }

  field(name: string): string {
    return this.#mark('field', name);
  }

  value(field: string, value: unknown): string {
    return this.#mark('value', `${field.length}:${field}${canonicalJson(value)}`);
  }

  /** The same text is always fixed the same way, and can be opened again: for what is compared, and given back. */
  fix(text: string, place: string): string {
    const iv = this.#ivOf(text, place);
    const cipher = createCipheriv('aes-256-ctr', this.#keys.cipher, iv);
    return FIXED + Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url');
  }

  /** What is not fixed is given back as it is. Throws `PROVIDER_ERROR` for what was altered. */
  loosen(fixed: string, place: string): string {
    if (!isFixed(fixed)) return fixed;
    const bytes = Buffer.from(fixed.slice(FIXED.length), 'base64url');
    const iv = bytes.subarray(0, IV_BYTES);
    if (iv.length < IV_BYTES) throw altered();
    const decipher = createDecipheriv('aes-256-ctr', this.#keys.cipher, iv);
    const text = decipher.update(bytes.subarray(IV_BYTES), undefined, 'utf8') + decipher.final('utf8');
    if (!timingSafeEqual(this.#ivOf(text, place), iv)) throw altered();
    return text;
  }

  #ivOf(text: string, place: string): Buffer {
    return createHmac('sha256', this.#keys.authentic).update(`${place}\0${text}`).digest().subarray(0, IV_BYTES);
  }

  /** Of digits and small letters, because a text index may take everything else for the end of a word. */
  #mark(kind: string, text: string): string {
    const name = `${kind}\0${text}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const bytes = createHmac('sha256', this.#keys.mark).update(name).digest().subarray(0, MARK_BYTES);
    const mark = BigInt(`0x${bytes.toString('hex')}`).toString(36);
    this.#known.set(name, mark);
    return mark;
  }
}

function isFixed(text: string): boolean {
  return text.startsWith(FIXED);
}
