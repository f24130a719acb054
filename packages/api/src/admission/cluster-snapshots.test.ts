import { expect, test } from 'vitest';
import type { Cluster, ClusterStatus } from '../kinds/cluster.ts';
import { aCluster } from '../testing/objects.ts';
import { snapshotErrors } from './cluster-snapshots.ts';

const AT = '2026-11-21T16:30:00Z';
const ready = (etcd: ClusterStatus['etcd'], state: 'True' | 'False' = 'True'): Partial<ClusterStatus> => ({
  conditions: [{ type: 'ControlPlaneReady', status: state, reason: 'AsExpected', message: '', lastTransitionTime: AT }],
  etcd,
});
const SIMULATED = ready({ quotaBytes: 1 });
const restore = { snapshot: '20261121-163000-000', requestedAt: AT };

function fieldsOf(etcd: Cluster['spec']['etcd'], before: Cluster['spec']['etcd'], status: Partial<ClusterStatus>) {
  const old = { ...aCluster({ ...(before && { etcd: before }) }), status } as Cluster;
  return snapshotErrors({ cluster: aCluster({ ...(etcd && { etcd }) }), old }).map(({ field }) => field);
}

test.each([
  { etcd: { snapshotRequestedAt: AT }, fields: ['spec.etcd.snapshotRequestedAt'], reason: 'a snapshot' },
  { etcd: { restore }, fields: ['spec.etcd.restore'], reason: 'a restore' },
  {
    etcd: { restore: { snapshot: restore.snapshot } },
    fields: ['spec.etcd.restore'],
    reason: 'a restore without a time',
  },
  { etcd: undefined, fields: [], reason: 'neither' },
])('refuses $reason with a simulated control plane: $fields', ({ etcd, fields }) => {
  expect(fieldsOf(etcd, undefined, SIMULATED)).toEqual(fields);
});

test.each([
  { before: { snapshotRequestedAt: AT }, status: SIMULATED, reason: 'the request is already stored' },
  {
    before: undefined,
    status: ready({ quotaBytes: 1, snapshots: [] }),
    reason: 'the control plane supports snapshots, but has none yet',
  },
  { before: undefined, status: ready({ quotaBytes: 1 }, 'False'), reason: 'the control plane does not run yet' },
  { before: undefined, status: {}, reason: 'nothing is known about the control plane' },
])('accepts the request if $reason', ({ before, status }) => {
  expect(fieldsOf({ snapshotRequestedAt: AT }, before, status)).toEqual([]);
});
