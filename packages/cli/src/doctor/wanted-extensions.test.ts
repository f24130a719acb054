import { expect, it } from 'vitest';
import { wantedExtensions } from './wanted-extensions.ts';

const offeredBy = (aliases: readonly string[]) =>
  Object.fromEntries(
    wantedExtensions({ extensions: { value: aliases } }).map(({ extension, offered }) => [extension, offered]),
  );

it('reports for each wanted extension whether it is available', () => {
  expect(offeredBy(['router', 'trunk', 'dvr'])).toMatchObject({
    router: 'yes',
    trunk: 'yes',
    'standard-attr-tag': 'no',
  });
  expect(offeredBy(['router'])).not.toHaveProperty('dvr');
});

it.each<{ there: readonly string[]; extension: string; offered: string; reason: string }>([
  { there: ['extraroute-atomic'], extension: 'extraroute-atomic', offered: 'yes', reason: 'the newer one suffices' },
  { there: ['extraroute'], extension: 'extraroute', offered: 'yes', reason: 'the older one suffices' },
  { there: [], extension: 'extraroute, extraroute-atomic', offered: 'no', reason: 'both are missing' },
])('reports $offered for routes with $there: $reason', ({ there, extension, offered }) => {
  expect(offeredBy(there)).toMatchObject({ [extension]: offered });
});

it('makes no guess if Neutron does not list extensions', () => {
  const all = wantedExtensions({ extensions: { problem: 'no answer' } });

  expect(new Set(all.map(({ offered }) => offered))).toEqual(new Set(['unknown']));
});
