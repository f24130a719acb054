import { expect, test } from 'vitest';
import {
  PAGE_DOCUMENTATION,
  SIGN_IN_DOCUMENTATION,
  VIEW_DOCUMENTATION,
} from '../packages/console/src/app/documentation.ts';
import { anchorsOf } from './site/anchors.ts';
import { PAGES } from './site/pages.ts';

test.each([
  ...new Set([...Object.values(PAGE_DOCUMENTATION), ...Object.values(VIEW_DOCUMENTATION), SIGN_IN_DOCUMENTATION]),
])('the console links to an existing page: %s', (link) => {
  const [page = '', anchor = ''] = link.split('#');

  expect(PAGES).toContain(page);
  expect(['', ...anchorsOf(page)]).toContain(anchor);
});
