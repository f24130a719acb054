import { expect, it } from 'vitest';
import { PAGE_PATTERNS } from './page-patterns.ts';
import { PAGES } from './pages.ts';

it('lists a page for each address that the all-pages tests open', () => {
  expect(PAGES.map(({ path }) => path)).toEqual(PAGE_PATTERNS);
});
