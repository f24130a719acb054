import { describe, expect, test } from 'vitest';
import { type ClusterDraft, clusterOf, omitEmpty, poolName, poolsOf } from './draft.ts';

const DRAFT: ClusterDraft = {
  name: 'shop',
  spec: { plan: 'free', network: { networkID: undefined, gateway: {} }, apiServer: { allowedCIDRs: [] } },
  pools: [
    { key: 'a', name: undefined, spec: { flavor: 'b3-8', replicas: 0, availabilityZones: [] } },
    { key: 'b', name: 'shop-gpu', spec: { flavor: 't1-45' } },
  ],
};

describe('a draft', () => {
  test('becomes a Cluster with only the selected values', () => {
    expect(clusterOf(DRAFT, 'p-1')).toEqual({
      apiVersion: 'fairway.dev/v1alpha1',
      kind: 'Cluster',
      metadata: { name: 'shop', namespace: 'p-1' },
      spec: { plan: 'free' },
    });
  });

  test('becomes NodePools named after the cluster, unless they have their own names', () => {
    expect(poolsOf(DRAFT, 'p-1').map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      ['shop-general', { clusterName: 'shop', flavor: 'b3-8', replicas: 0 }],
      ['shop-gpu', { clusterName: 'shop', flavor: 't1-45' }],
    ]);
  });

  test('accepts names up to the API’s maximum length', () => {
    expect(poolName({ name: 'x'.repeat(24) }, 0)).toHaveLength(32);
    expect(poolName({ name: 'shop' }, 1)).toBe('shop-pool-2');
  });
});

test('omits empty values, but keeps zero and false', () => {
  expect(omitEmpty({ a: '', b: [], c: { d: {} }, e: 0, f: false, g: ['x'] })).toEqual({ e: 0, f: false, g: ['x'] });
});
