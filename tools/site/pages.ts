import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Every page of the documentation, by its path in the repository. */
export const PAGES: readonly string[] = globSync(
  ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'testbed/*/README.md'],
  { cwd: ROOT },
).sort();

/** The text of a page without its code blocks, which contain commands and their output. */
export function textOf(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
}

export function linksOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
}

/** The repository path of a page's link; `undefined` if it leads to another host. */
export function targetOf(page: string, link: string): { readonly file: string; readonly anchor?: string } | undefined {
  if (/^[a-z]+:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#');
  const linked = path === '' ? page : join(page, '..', path);
  const readme = join(linked, 'README.md');
  const file = existsSync(join(ROOT, readme)) ? readme : linked;
  return { file, ...(anchor !== undefined && { anchor }) };
}
