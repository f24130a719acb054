import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import { ConditionType } from '../conditions.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

/**
 * Rejects snapshot requests for a cluster whose control plane is known not to support them: the control plane runs, but
 * its status contains no list of snapshots, not even an empty one. For a new cluster, this is unknown; the condition
 * SnapshotsReady reports it later.
 */
export function snapshotErrors({
  cluster,
  old,
  unenforcedFields = {},
}: Pick<ClusterAdmission, 'cluster' | 'old' | 'unenforcedFields'>): FieldError[] {
  if (old === undefined || !keepsNoSnapshots(old) || unenforcedFields['spec.etcd.restore'] !== undefined) return [];
  const { snapshotRequestedAt, restore } = cluster.spec.etcd ?? {};
  const before = old.spec.etcd;
  const requestedFields = [
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
    'the control plane of this cluster is simulated and keeps no snapshots: remove the field; process-based control planes keep them';
  return requestedFields
    .filter(({ isNew }) => isNew)
    .map(({ field }) => ({ type: 'FieldValueForbidden', field, detail }));
}

function keepsNoSnapshots({ status }: Cluster): boolean {
  const isRunning = status?.conditions?.some(
    ({ type, status: state }) => type === ConditionType.ControlPlaneReady && state === 'True',
  );
  return isRunning === true && status?.etcd !== undefined && status.etcd.snapshots === undefined;
}
