import { expect, it } from 'vitest';
import { PAGE_PATTERNS } from './page-patterns.ts';
import { PAGES } from './pages.ts';

it('shows a page for each address, which the test of all pages looks at', () => {
  expect(PAGES.map(({ path }) => path)).toEqual(PAGE_PATTERNS);
});
