import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, targetOf } from './pages.ts';

/** The main index, and the indexes for tenants and operators, which are separate groups. */
const INDEX = 'docs/README.md';
const INDEXES: Readonly<Record<string, string>> = {
  Tenants: 'docs/tenants/README.md',
  Operators: 'docs/operators/README.md',
  Fields: 'docs/reference/README.md',
};

export interface NavigationGroup {
  readonly text: string;
  readonly items: readonly NavigationItem[];
}

interface NavigationItem {
  readonly text: string;
  /** Path of the page in the repository. */
  readonly page: string;
}

/** The indexes are the only lists of pages: each section of the main index is a group, as is every other index. */
export function navigation(): readonly NavigationGroup[] {
  const read = (index: string) => readFileSync(join(ROOT, index), 'utf8');
  const [, ...sections] = read(INDEX).split(/^## /m);
  return [
    ...sections.map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: itemsOf(INDEX, section),
    })),
    ...Object.entries(INDEXES).map(([text, index]) => ({ text, items: itemsOf(index, read(index)) })),
  ];
}

/** Lists each page once: links to sections are not items. */
function itemsOf(index: string, text: string): readonly NavigationItem[] {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].flatMap(([, label = '', link = '']) => {
    const target = targetOf(index, link);
    if (target === undefined || target.anchor !== undefined) return [];
    const words = label.replaceAll('`', '');
    return [{ text: `${words.charAt(0).toUpperCase()}${words.slice(1)}`, page: target.file }];
  });
}
