import { posix } from 'node:path';
import { PAGES, targetOf } from './pages.ts';

/** Path of a page on the site; README pages become index pages. */
export function sitePath(page: string): string {
  return page.replace(/(^|\/)README\.md$/, '$1index.md');
}

const PAGE_OF: ReadonlyMap<string, string> = new Map(PAGES.map((page) => [sitePath(page), page]));

/** A page's link on the site; `undefined` if it leads to a file that is not a page. */
export function siteLink(page: string, link: string): string | undefined {
  const target = targetOf(page, link);
  // Headings link to themselves this way; VitePress's search finds sections through these links.
  if (target === undefined || link.startsWith('#')) return link;
  if (!PAGES.includes(target.file)) return undefined;
  const path = posix.relative(posix.dirname(page), sitePath(target.file));
  return `./${path}${target.anchor === undefined ? '' : `#${target.anchor}`}`;
}

/**
 * The part of markdown-it that is used: its own types would pull browser types into the whole project through
 * VitePress.
 */
interface Token {
  readonly type: string;
  children?: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface Markdown {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { tokens: Token[]; env: { readonly relativePath: string } }) => void): void;
    };
  };
}

/** Rewrites links to pages on the site; links to other files become text. */
export function linkPages(markdown: Markdown): void {
  markdown.core.ruler.push('link-pages', ({ tokens, env }) => {
    const page = PAGE_OF.get(env.relativePath) ?? env.relativePath;
    for (const token of tokens) if (token.children) token.children = linked(token.children, page);
  });
}

function linked(tokens: readonly Token[], page: string): Token[] {
  const open: boolean[] = [];
  return tokens.filter((token) => {
    if (token.type === 'link_close') return open.pop();
    if (token.type !== 'link_open') return true;
    const link = siteLink(page, token.attrGet('href') ?? '');
    if (link !== undefined) token.attrSet('href', link);
    open.push(link !== undefined);
    return link !== undefined;
  });
}
