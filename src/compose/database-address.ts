/** The addresses under which databases are configured: what each names. */

export type DatabaseAddress =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | { readonly engine: 'pglite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** In words that complete "it accepts …". */
export const DATABASE_ADDRESSES = 'sqlite:FOLDER, postgres://USER:PASSWORD@HOST:PORT/DATABASE or pglite:FOLDER';

/** Undefined for a text that is no address. */
export function databaseAddress(text: string): DatabaseAddress | undefined {
  const [, scheme, rest = ''] = /^([a-z]+):(.+)$/s.exec(text) ?? [];
  switch (scheme) {
    case 'sqlite':
    case 'pglite': {
      const folder = folderOf(rest);
      return folder === undefined ? undefined : { engine: scheme, folder };
    }
    case 'postgres':
    case 'postgresql':
      return isServerUrl(text) ? { engine: 'postgres', url: text } : undefined;
    default:
      return undefined;
  }
}

/** An address as it may be shown to people: without a password. */
export function shownAddress(text: string): string {
  // As far as the last @ before the host, because a password may hold one.
  return text.replace(/(\/\/[^:@/?#]*):[^/?#]*@/, '$1@').replace(/([?&](?:ssl)?password=)[^&]*/g, '$1…');
}

/** `sqlite://data` would mean a host called "data", and `:memory:` a folder of that name. */
function folderOf(rest: string): string | undefined {
  const folder = rest.startsWith('///') ? rest.slice(2) : rest;
  return /^\/\/|^:|\0/.test(folder) ? undefined : folder;
}

function isServerUrl(text: string): boolean {
  return URL.canParse(text) && text.includes('://') && new URL(text).pathname.length > 1;
}
