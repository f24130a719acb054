import type { NodePool } from '@fairway/api/kinds/node-pool';
import { expect, it } from 'vitest';
import { shortagesOf } from './shortages.ts';

const SINCE = '2026-11-26T10:00:00Z';

function pool(name: string, flavor: string, reason: string, status = 'False'): NodePool {
  const conditions = [{ type: 'Ready', status, reason, message: '', lastTransitionTime: SINCE }];
  return { metadata: { name }, spec: { flavor }, status: { flavorID: `id-of-${flavor}`, conditions } } as NodePool;
}

it('reports flavors for which the project’s pools get no servers', () => {
  const found = shortagesOf([
    pool('batch', 'gpu', 'FlavorOutOfStock'),
    pool('web', 'small', 'QuotaExceeded'),
    pool('db', 'large', 'FlavorOutOfStock', 'True'),
    { metadata: { name: 'new' }, spec: { flavor: 'tiny' } } as NodePool,
  ]);

  const shortage = { pool: 'batch', since: SINCE };
  expect(Object.fromEntries(found)).toEqual({ gpu: shortage, 'id-of-gpu': shortage });
});
