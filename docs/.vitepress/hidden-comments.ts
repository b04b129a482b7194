/** Comments of a page are for those who write it, and for the tests. The site leaves them out. */

import type { MarkdownRenderer } from 'vitepress';

export function hiddenComments(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('hidden-comments', (state) => {
    state.tokens = state.tokens.filter(({ type, content }) => type !== 'html_block' || !isComment(content));
  });
}

function isComment(html: string): boolean {
  return /^<!--.*-->\s*$/s.test(html.trimStart());
}
