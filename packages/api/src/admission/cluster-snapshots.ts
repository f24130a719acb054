import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import { ConditionType } from '../conditions.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

/**
 * Rejects requests for snapshots of a cluster whose control plane is known to keep none: it runs, and its status has no list of them, which is empty where
 * there are none yet. A new cluster's control plane is not known; its condition SnapshotsReady tells later.
 */
export function snapshotErrors({ cluster, old }: Pick<ClusterAdmission, 'cluster' | 'old'>): FieldError[] {
  if (old === undefined || !keepsNone(old)) return [];
  const { snapshotRequestedAt, restore } = cluster.spec.etcd ?? {};
  const before = old.spec.etcd;
  const asked = [
    {
      field: 'spec.etcd.snapshotRequestedAt',
      isNew: snapshotRequestedAt !== before?.snapshotRequestedAt && snapshotRequestedAt !== undefined,
    },
    {
      field: 'spec.etcd.restore',
      isNew: restore !== undefined && !isDeepStrictEqual(restore, before?.restore),
    },
  ];
  const detail =
    'the control plane of this cluster keeps no snapshots, because it is simulated: leave the field out; control planes that run as processes keep them';
  return asked.filter(({ isNew }) => isNew).map(({ field }) => ({ type: 'FieldValueForbidden', field, detail }));
}

function keepsNone({ status }: Cluster): boolean {
  const isRunning = status?.conditions?.some(
    ({ type, status: state }) => type === ConditionType.ControlPlaneReady && state === 'True',
  );
  return isRunning === true && status?.etcd !== undefined && status.etcd.snapshots === undefined;
}
