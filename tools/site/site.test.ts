import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorOf } from './anchors.ts';
import { siteLink, sitePath } from './links.ts';
import { navigation } from './navigation.ts';
import { linksOf, PAGES, ROOT, targetOf } from './pages.ts';

test('the front page has at most 700 words', () => {
  const words = readFileSync(join(ROOT, 'README.md'), 'utf8').split(/\s+/).filter(Boolean);

  expect(words.length).toBeLessThanOrEqual(700);
});

test('each page of docs is at most three clicks away from the front page', () => {
  const isNear = new Set(['README.md']);
  for (let click = 0; click < 3; click++) {
    for (const page of [...isNear].filter((near) => PAGES.includes(near))) {
      for (const link of linksOf(page)) isNear.add(targetOf(page, link)?.file ?? page);
    }
  }

  expect(PAGES.filter((page) => page.startsWith('docs/') && !isNear.has(page))).toEqual([]);
});

test('the navigation of the site leads only to pages', () => {
  const groups = navigation();

  expect(groups.map(({ text }) => text)).toEqual([
    'First steps',
    'Everything about',
    'Concepts',
    'Reference',
    'Tenants',
    'Operators',
    'Fields',
  ]);
  expect(groups.flatMap(({ items }) => items.filter(({ page }) => !PAGES.includes(page)))).toEqual([]);
  expect(groups.filter(({ items }) => items.length === 0)).toEqual([]);
});

test.each([
  { page: 'README.md', link: 'docs/limits.md', to: './docs/limits.md', reason: 'a page' },
  { page: 'docs/limits.md', link: 'README.md#concepts', to: './index.md#concepts', reason: 'an index' },
  { page: 'docs/architecture.md', link: '../packages/api/', to: './../packages/api/index.md', reason: 'a folder' },
  { page: 'docs/limits.md', link: '#nodes', to: '#nodes', reason: 'a section of the same page' },
  { page: 'docs/limits.md', link: 'https://kubernetes.io', to: 'https://kubernetes.io', reason: 'another host' },
  { page: 'README.md', link: 'LICENSE', to: undefined, reason: 'a file that is not a page' },
])('links from $page to $link lead to $to on the site: $reason', ({ page, link, to }) => {
  expect(siteLink(page, link)).toBe(to);
});

test('a README is the index of its directory on the site', () => {
  expect(['README.md', 'docs/README.md', 'docs/tour.md'].map(sitePath)).toEqual([
    'index.md',
    'docs/index.md',
    'docs/tour.md',
  ]);
});

test('anchors match the anchors on GitHub', () => {
  expect(anchorOf('`fairway up`: What to do?')).toBe('fairway-up-what-to-do');
});
