/** Links from a page to files beside docs/ work in the repository. The site does not have those files: there they are text. */

import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

export function leavingLinks(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('leaving-links', ({ tokens, env }) => {
    const { relativePath } = env as { relativePath: string };
    for (const { children } of tokens) {
      let isLeaving = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') isLeaving = leaves(relativePath, token.attrGet('href') ?? '');
        if (!isLeaving || (token.type !== 'link_open' && token.type !== 'link_close')) continue;
        token.tag = 'span';
        token.type = token.type.replace('link', 'span');
        token.attrs = null;
      }
    }
  });
}

function leaves(page: string, href: string): boolean {
  return !/^[a-z]+:|^[#/]/.test(href) && posix.join(posix.dirname(page), href).startsWith('../');
}
