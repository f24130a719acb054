import { describe, expect, test } from 'vitest';
import type { Cluster, ClusterStatus, NewCluster } from '../kinds/cluster.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import type { Machine } from '../kinds/machine.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { clusterRequests, machineRequests, nodePoolRequests, releaseRequests } from './counted-requests.ts';
import { replayWarnings, restoreWarnings } from './replayed-requests.ts';

const A = '20261121-163000-000';
const B = '20261122-163000-000';
const MONDAY = '2026-11-23T12:00:00Z';
const TUESDAY = '2026-11-24T12:00:00Z';
const WEDNESDAY = '2026-11-25T12:00:00Z';
const STATUS: ClusterStatus = {
  maintenance: { requested: TUESDAY },
  credentials: { caNotAfter: WEDNESDAY, rotation: TUESDAY, revocation: { requested: TUESDAY } },
  hibernation: {
    wanted: true,
    wantedSince: TUESDAY,
    hibernated: true,
    followed: { enabled: true, requestedAt: TUESDAY, time: TUESDAY },
  },
  etcd: { quotaBytes: 1, lastRestore: { snapshot: B, requestedAt: TUESDAY, restoredAt: TUESDAY } },
};

function warningsFor(annotations: Record<string, string>, spec: NewCluster['spec'] = {}): string[] {
  const old: Cluster = { ...aCluster({}, { name: 'demo' }), status: STATUS };
  const newCluster = aCluster(spec, { name: 'demo' });
  const cluster: Cluster = { ...newCluster, metadata: { ...newCluster.metadata, annotations } };
  return [...replayWarnings(clusterRequests(cluster, old)), ...restoreWarnings({ cluster, old })];
}

test.each(['maintenance-requested', 'revoke-kubeconfigs', 'rotate-credentials'])(
  'warns that an earlier time in %s has no effect',
  (name) => {
    expect(warningsFor({ [`fairway.dev/${name}`]: MONDAY })).toEqual([
      `metadata.annotations[fairway.dev/${name}] (${MONDAY}): is not later than the last request, ${TUESDAY}: nothing is done`,
    ]);
    expect(warningsFor({ [`fairway.dev/${name}`]: TUESDAY })).toEqual([]);
    expect(warningsFor({ [`fairway.dev/${name}`]: WEDNESDAY })).toEqual([]);
    expect(warningsFor({ [`fairway.dev/${name}`]: 'now' })).toEqual([]);
  },
);

test('warns that a restore requested before the last one has no effect', () => {
  expect(warningsFor({}, { etcd: { restore: { snapshot: A, requestedAt: MONDAY } } })).toEqual([
    `spec.etcd.restore: was already processed, or is earlier than the last restore (${B}, requested at ${TUESDAY}): nothing is restored; to restore ${A} again, set requestedAt to the current time`,
  ]);
  expect(warningsFor({}, { etcd: { restore: { snapshot: A, requestedAt: WEDNESDAY } } })).toEqual([]);
});

test('warns that a hibernation requested before the last one has no effect', () => {
  const at = (requestedAt: string) => warningsFor({}, { hibernation: { enabled: true, requestedAt } });

  expect(at(MONDAY)).toEqual([
    `spec.hibernation.requestedAt (${MONDAY}): is not later than the last request, ${TUESDAY}: it has no effect: only a change of spec.hibernation.enabled counts`,
  ]);
  expect(at(WEDNESDAY)).toEqual([]);
});

describe('earlier requests on objects of other kinds', () => {
  const metadata = (annotations: Record<string, string>) => ({ name: 'a', namespace: 'team', annotations });
  const retry = (time: string) => metadata({ 'fairway.dev/retry-requested': time });
  const repair = (time: string) =>
    ({ metadata: metadata({ 'fairway.dev/repair-requested': time }), spec: {} }) as Machine;
  const pool = (status: NonNullable<NodePool['status']>, time?: string): NodePool => ({
    ...aNodePool(),
    metadata: time === undefined ? metadata({}) : retry(time),
    status,
  });
  const upgrade = { upgrade: { retried: TUESDAY } } as NonNullable<NodePool['status']>;
  const healed = { healing: { requests: [{ machine: 'a', value: TUESDAY }] } } as NonNullable<NodePool['status']>;
  const release = (time: string, retried = TUESDAY) =>
    ({ metadata: retry(time), spec: {}, status: { rollout: { retried } } }) as unknown as KubernetesRelease;

  test.each([
    {
      what: 'a repair',
      requests: (at: string) => machineRequests(repair(at), repair(''), pool(healed)),
      says: 'nothing is done',
    },
    {
      what: 'the retry of an upgrade',
      requests: (at: string) => nodePoolRequests(pool(upgrade, at), pool(upgrade)),
      says: 'a halted upgrade of its nodes is not resumed',
    },
    {
      what: 'the retry of a rollout',
      requests: (at: string) => releaseRequests(release(at), release('')),
      says: 'failed clusters of the rollout are not retried',
    },
  ])('warns that $what has no effect', ({ requests, says }) => {
    expect(replayWarnings(requests(MONDAY))).toEqual([
      expect.stringContaining(`(${MONDAY}): is not later than the last request, ${TUESDAY}: ${says}`),
    ]);
    expect(replayWarnings(requests(WEDNESDAY))).toEqual([]);
  });

  test('does not warn about retrying a machine, which is not recorded', () => {
    expect(
      replayWarnings(
        machineRequests(
          { ...repair(''), metadata: retry(MONDAY) },
          { ...repair(''), metadata: retry(TUESDAY) },
          undefined,
        ),
      ),
    ).toEqual([]);
  });
});
