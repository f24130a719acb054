import { describe, expect, test } from 'vitest';
import type { NewCluster } from '../kinds/cluster.ts';
import type { NewNodePool } from '../kinds/node-pool.ts';
import { FEATURE_NAMES } from '../kinds/plan-limits.ts';
import { aCluster, aNodePool, aPlan } from '../testing/objects.ts';
import { clusterFeatureErrors, FEATURES, poolFeatureErrors } from './features.ts';

const WITHOUT_FEATURES = aPlan({ allowed: { features: [] } });

test('each feature is described once', () => {
  expect(FEATURES.map(({ name }) => name)).toEqual(FEATURE_NAMES);
});

describe('cluster features', () => {
  test.each<{ spec: NewCluster['spec']; field: string; value: string }>([
    { spec: { hibernation: { enabled: true } }, field: 'spec.hibernation', value: 'Hibernation' },
    {
      spec: { hibernation: { schedules: [{ hibernate: '0 20 * * *', timeZone: 'UTC' }] } },
      field: 'spec.hibernation',
      value: 'Hibernation',
    },
    { spec: { autoscaler: { mode: 'External' } }, field: 'spec.autoscaler.mode', value: 'ExternalAutoscaler' },
    { spec: { apiServer: { keystone: {} } }, field: 'spec.apiServer.keystone', value: 'KeystoneUsers' },
    { spec: { apiServer: { audit: {} } }, field: 'spec.apiServer.audit', value: 'ClusterAudit' },
    {
      spec: { apiServer: { oidc: { issuerURL: 'https://login.example.org', clientID: 'kubernetes' } } },
      field: 'spec.apiServer.oidc',
      value: 'OIDC',
    },
    { spec: { reset: { requestedAt: '2026-11-21T16:30:00Z', confirm: 'demo' } }, field: 'spec.reset', value: 'Reset' },
  ])('$value at $field', ({ spec, field, value }) => {
    const cluster = aCluster(spec).spec;

    expect(clusterFeatureErrors(cluster, undefined, WITHOUT_FEATURES)).toMatchObject([
      { field, limit: 'allowed.features', limitedValue: value },
    ]);
    expect(clusterFeatureErrors(cluster, cluster, WITHOUT_FEATURES), 'stored').toEqual([]);
    expect(clusterFeatureErrors(cluster, undefined, aPlan()), 'of a plan without the limit').toEqual([]);
  });

  test('can still be reduced where they are in use', () => {
    const schedule = { hibernate: '0 20 * * *', timeZone: 'UTC' };
    const old = aCluster({ hibernation: { schedules: [schedule, { ...schedule, hibernate: '0 22 * * *' }] } }).spec;
    const reduced = aCluster({ hibernation: { schedules: [schedule] } }).spec;

    expect(clusterFeatureErrors(reduced, old, WITHOUT_FEATURES)).toEqual([]);
  });

  test('a new request is another use', () => {
    const old = aCluster({ reset: { requestedAt: '2026-11-21T16:30:00Z', confirm: 'demo' } }).spec;
    const later = aCluster({ reset: { requestedAt: '2026-11-22T16:30:00Z', confirm: 'demo' } }).spec;

    expect(clusterFeatureErrors(later, old, WITHOUT_FEATURES)).toMatchObject([{ limitedValue: 'Reset' }]);
  });

  test('can be turned off', () => {
    const old = aCluster({ hibernation: { enabled: true } }).spec;

    expect(clusterFeatureErrors(aCluster({ hibernation: { enabled: false } }).spec, old, WITHOUT_FEATURES)).toEqual([]);
    expect(clusterFeatureErrors(aCluster().spec, old, WITHOUT_FEATURES)).toEqual([]);
  });
});

describe('node pool features', () => {
  test.each<{ spec: Partial<NewNodePool['spec']>; field: string; value: string }>([
    { spec: { autoscaling: { enabled: true } }, field: 'spec.autoscaling.enabled', value: 'Autoscaling' },
    { spec: { floatingIPs: { enabled: true } }, field: 'spec.floatingIPs.enabled', value: 'FloatingIPs' },
  ])('$value at $field', ({ spec, field, value }) => {
    const pool = aNodePool(spec).spec;

    expect(poolFeatureErrors(pool, undefined, WITHOUT_FEATURES)).toMatchObject([
      { field, limit: 'allowed.features', limitedValue: value },
    ]);
    expect(poolFeatureErrors(pool, pool, WITHOUT_FEATURES), 'stored').toEqual([]);
  });
});
