/** The few lines of YAML that may open a Markdown file: words, and lists of words. Pure. */

export interface FrontMatter {
  /** By key in lower case. Anything that is neither a word nor a list of words is left out. */
  readonly fields: ReadonlyMap<string, string | readonly string[]>;
  /** What comes after it. */
  readonly body: string;
}

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?---[ \t]*(?:\r?\n|$)/;
const FIELD = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$/;
const ITEM = /^[ \t]*-[ \t]+(.*)$/;

export function readFrontMatter(text: string): FrontMatter {
  const block = BLOCK.exec(text);
  if (block === null) return { fields: new Map(), body: text.replace(/^\uFEFF/, '') };
  const fields = new Map<string, string | readonly string[]>();
  let key: string | undefined;
  for (const line of (block[1] ?? '').split(/\r?\n/)) {
    const field = FIELD.exec(line);
    const item = ITEM.exec(line);
    if (field) {
      key = (field[1] ?? '').toLowerCase();
      const value = valueOf(field[2] ?? '');
      if (value !== '') fields.set(key, value);
    } else if (item && key !== undefined) {
      const before = fields.get(key) ?? [];
      if (typeof before !== 'string') fields.set(key, [...before, wordOf(item[1] ?? '')]);
    }
  }
  return { fields, body: text.slice(block[0].length) };
}

/** One word, also where a list was given; undefined where nothing was. */
export function wordIn({ fields }: FrontMatter, ...keys: readonly string[]): string | undefined {
  const value = keys.map((key) => fields.get(key)).find((each) => each !== undefined);
  const word = typeof value === 'string' ? value : value?.[0];
  return word === '' ? undefined : word;
}

/** A list, also where it was given as words with commas between them. */
export function listIn({ fields }: FrontMatter, key: string): string[] {
  const value = fields.get(key) ?? [];
  const words = typeof value === 'string' ? value.split(',') : value;
  return words.map((word) => word.trim()).filter((word) => word !== '');
}

function valueOf(text: string): string | readonly string[] {
  const list = /^\[(.*)\][ \t]*(?:#.*)?$/.exec(text.trim());
  return list === null ? wordOf(text) : (list[1] ?? '').split(',').map(wordOf);
}

/** Without quotes, and without a comment where there are none. */
function wordOf(text: string): string {
  const quoted = /^(["'])(.*)\1[ \t]*(?:#.*)?$/.exec(text.trim());
  if (quoted) return quoted[2] ?? '';
  return text.replace(/(^|[ \t])#.*$/, '').trim();
}
