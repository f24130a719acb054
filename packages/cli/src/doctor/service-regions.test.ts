import { SERVICES } from '@fairway/openstack/services';
import type { CatalogEntry } from '@fairway/openstack/types/identity';
import { expect, test } from 'vitest';
import { missingServices, regionsOf } from './service-regions.ts';

function entry(type: string, ...regions: readonly (string | undefined)[]): CatalogEntry {
  const endpoints = regions.map((region, index) => ({
    id: `${type}-${index}`,
    interface: 'public' as const,
    url: 'https://cloud/',
    ...(region !== undefined && { region, region_id: region }),
  }));
  return { type, endpoints };
}

const COMPLETE = SERVICES.map(({ type }) => entry(type, 'west', 'east'));
const WITHOUT_SHARES = COMPLETE.filter(({ type }) => type !== 'shared-file-system');

test.each([
  { reason: 'all are there', catalog: COMPLETE, region: 'west', missing: [] },
  { reason: 'no entry', catalog: WITHOUT_SHARES, region: 'west', missing: ['shared-file-system'] },
  { reason: 'no entry in any region', catalog: WITHOUT_SHARES, region: undefined, missing: ['shared-file-system'] },
  { reason: 'an older type', catalog: [...WITHOUT_SHARES, entry('sharev2', 'west')], region: 'west', missing: [] },
  {
    reason: 'only in another region',
    catalog: [...WITHOUT_SHARES, entry('shared-file-system', 'east')],
    region: 'west',
    missing: ['shared-file-system'],
  },
  {
    reason: 'in some region, if none is chosen',
    catalog: [...WITHOUT_SHARES, entry('shared-file-system', 'east')],
    region: undefined,
    missing: [],
  },
  {
    reason: 'endpoints without regions',
    catalog: SERVICES.map(({ type }) => entry(type, undefined)),
    region: undefined,
    missing: [],
  },
])('missing services in $region: $missing ($reason)', ({ catalog, region, missing }) => {
  expect(missingServices(catalog, region)).toEqual(missing);
});

test('each region of the catalog is listed once', () => {
  expect(regionsOf([entry('compute', 'west', 'east'), entry('dns', 'west', undefined)])).toEqual(['east', 'west']);
});
