import { expect, test } from 'vitest';
import type { Cluster, NewCluster } from '../kinds/cluster.ts';
import { aCluster } from '../testing/objects.ts';
import { clusterRequests } from './counted-requests.ts';
import { requestTimeErrors } from './request-times.ts';

const NOW_MS = Date.UTC(2026, 5, 1, 12);
const TOMORROW = '2026-06-02T12:00:00Z';
const MISTYPED_TIME = '2062-06-01T12:00:00Z';
const SNAPSHOT = '20260521-163000-000';

function clusterWith(spec: Partial<NewCluster['spec']>, annotations: Record<string, string> = {}): Cluster {
  const newCluster = aCluster(spec, { name: 'demo' });
  return { ...newCluster, metadata: { ...newCluster.metadata, annotations } };
}

function errorsOf(cluster: Cluster, old?: Cluster) {
  return requestTimeErrors(clusterRequests(cluster, old), NOW_MS);
}

interface Case {
  readonly field: string;
  readonly at: (time: string) => Cluster;
}

const CASES: readonly Case[] = [
  { field: 'spec.reset.requestedAt', at: (time) => clusterWith({ reset: { requestedAt: time, confirm: 'demo' } }) },
  {
    field: 'spec.etcd.restore.requestedAt',
    at: (time) => clusterWith({ etcd: { restore: { snapshot: SNAPSHOT, requestedAt: time } } }),
  },
  {
    field: 'spec.hibernation.requestedAt',
    at: (time) => clusterWith({ hibernation: { enabled: true, requestedAt: time } }),
  },
  ...['maintenance-requested', 'revoke-kubeconfigs', 'rotate-credentials', 'adopt-addons', 'retry-requested'].map(
    (name) => ({
      field: `metadata.annotations[fairway.dev/${name}]`,
      at: (time: string) => clusterWith({}, { [`fairway.dev/${name}`]: time }),
    }),
  ),
];

test.each(CASES)(
  'refuses $field later than tomorrow, because earlier requests would then be ignored',
  ({ field, at }) => {
    expect(errorsOf(at(MISTYPED_TIME), clusterWith({}))).toEqual([
      {
        type: 'FieldValueInvalid',
        field,
        value: MISTYPED_TIME,
        detail:
          'is more than a day in the future, and earlier requests would be ignored until then: set it to the current time',
      },
    ]);
    expect(errorsOf(at(TOMORROW), clusterWith({}))).toEqual([]);
  },
);

test.each(CASES)('accepts $field if it is stored', ({ at }) => {
  expect(errorsOf(at(MISTYPED_TIME), at(MISTYPED_TIME))).toEqual([]);
});

test('accepts only a slightly later time after a stored time in the future', () => {
  const old = { ...clusterWith({}), status: { maintenance: { requested: MISTYPED_TIME } } };
  const at = (time: string) => clusterWith({}, { 'fairway.dev/maintenance-requested': time });

  expect(errorsOf(at('2062-06-01T12:00:00.001Z'), old)).toEqual([]);
  expect(errorsOf(at('2072-06-01T12:00:00Z'), old)).toHaveLength(1);
});

test('accepts values that are not times', () => {
  const cluster = clusterWith({}, { 'fairway.dev/maintenance-requested': 'year 2062' });

  expect(errorsOf(cluster)).toEqual([]);
});
