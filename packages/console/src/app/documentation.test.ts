import { expect, test } from 'vitest';
import { documentationOf, documentationUrl } from './documentation.ts';

test.each([
  { location: '/', page: 'docs/tenants/console.md' },
  { location: '/clusters/team/demo', page: 'docs/tenants/console.md#a-cluster' },
  { location: '/clusters/team/demo/version', page: 'docs/tenants/upgrades.md' },
  { location: '/clusters/team/demo/constructor', page: 'docs/tenants/console.md#a-cluster' },
  { location: '/clusters/team/demo/add-pool', page: 'docs/tenants/node-pools.md' },
  { location: '/clusters/team/demo/pools/workers', page: 'docs/tenants/node-pools.md' },
  { location: '/operator/stuck', page: 'docs/operators/causes.md' },
  { location: '/nowhere', page: 'docs/tenants/console.md' },
])('$location is documented in $page', ({ location, page }) => {
  expect(documentationOf(location)).toBe(page);
});

test.each([
  { template: 'https://docs.example.com/{page}.html', url: 'https://docs.example.com/docs/tenants/audit.html#within' },
  {
    template: 'https://git.example.com/blob/main/{page}.md',
    url: 'https://git.example.com/blob/main/docs/tenants/audit.md#within',
  },
])('a section’s URL with template $template is $url', ({ template, url }) => {
  expect(documentationUrl(template, 'docs/tenants/audit.md#within')).toBe(url);
});
