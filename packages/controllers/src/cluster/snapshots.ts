import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { RestoreRequest } from '@fairway/api/domain/restore-request';
import type { ClusterSpec, ClusterStatus } from '@fairway/api/kinds/cluster';
import { formatTime } from '@fairway/base/clock';
import type { ControlPlaneState, RestoreProblem } from '@fairway/control-plane/runtime';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet } from '@fairway/tenancy/problem';
import type { Operation } from '../operation.ts';
import { measuredSeconds } from './durations.ts';

type EtcdStatus = NonNullable<ClusterStatus['etcd']>;

/** The snapshots part of `status.etcd`. Pure. */
export function snapshotStatus(
  controlPlane: ControlPlaneState | undefined,
  previous: EtcdStatus | undefined,
): Pick<EtcdStatus, 'snapshots' | 'lastRestore' | 'earlierRestores'> {
  if (controlPlane === undefined) {
    const { snapshots, lastRestore, earlierRestores } = previous ?? {};
    return {
      ...(snapshots && { snapshots }),
      ...(lastRestore && { lastRestore }),
      ...(earlierRestores && { earlierRestores }),
    };
  }
  if (controlPlane.snapshots === undefined) return {};
  const { list, restored, restoredBefore = [] } = controlPlane.snapshots;
  return {
    snapshots: list.map(({ name, takenAtMs, sizeBytes }) => ({ name, takenAt: formatTime(takenAtMs), sizeBytes })),
    ...(restored && {
      lastRestore: {
        snapshot: restored.snapshot,
        ...(restored.requestedAt !== undefined && { requestedAt: restored.requestedAt }),
        restoredAt: formatTime(restored.atMs),
      },
    }),
    ...(restoredBefore.length > 0 && { earlierRestores: restoredBefore.map(requestOf) }),
  };
}

function requestOf({ snapshot, requestedAt }: RestoreRequest): RestoreRequest {
  return { snapshot, ...(requestedAt !== undefined && { requestedAt }) };
}

const REASONS: Readonly<Record<RestoreProblem, ConditionReason>> = {
  NotFound: ConditionReason.SnapshotNotFound,
  Failed: ConditionReason.RestoreFailed,
};

/** The SnapshotsReady condition; undefined if snapshots are not used. Not part of Ready. Pure. */
export function snapshotsCondition(
  { etcd }: Pick<ClusterSpec, 'etcd'>,
  controlPlane: ControlPlaneState | undefined,
): ConditionState | undefined {
  const type = ConditionType.SnapshotsReady;
  if (controlPlane === undefined) return undefined;
  if (controlPlane.snapshots === undefined) {
    if (etcd?.restore === undefined && etcd?.snapshotRequestedAt === undefined) return undefined;
    const message = 'control planes of this kind do not support snapshots: remove spec.etcd from the Cluster';
    return conditionUnmet(type, { reason: ConditionReason.SnapshotNotFound, message });
  }
  const { restoring, problem, offHostProblem } = controlPlane.snapshots;
  if (restoring?.problem)
    return conditionUnmet(type, { reason: REASONS[restoring.problem], message: restoring.message });
  if (restoring) return conditionUnmet(type, { reason: ConditionReason.Restoring, message: restoring.message });
  if (problem === undefined && offHostProblem === undefined) return conditionMet(type);
  if (problem === undefined) {
    const message = `snapshots are taken, but are ${offHostProblem}`;
    return conditionUnmet(type, { reason: ConditionReason.SnapshotFailed, message });
  }
  return conditionUnmet(type, { reason: ConditionReason.SnapshotFailed, message: `cannot take snapshots: ${problem}` });
}

/** The `lastOperation` of a restore of a cluster with this many nodes; undefined if none is in progress. Pure. */
export function restoreOperation(
  controlPlane: ControlPlaneState | undefined,
  { nodes, durations }: { readonly nodes: number; readonly durations: ClusterStatus['durations'] },
): Operation | undefined {
  const restoring = controlPlane?.snapshots?.restoring;
  if (restoring === undefined) return undefined;
  const states = { NotFound: 'Failed', Failed: 'Error' } as const;
  const state = restoring.problem === undefined ? 'Processing' : states[restoring.problem];
  const reason = restoring.problem === undefined ? ConditionReason.Restoring : REASONS[restoring.problem];
  // The cluster's network exists; the control plane is restored, and then its nodes come back.
  const steps = { done: 1, total: 2 + nodes };
  const progress = restoring.problem === undefined ? 25 : 0;
  const expectedSeconds = measuredSeconds(durations, 'Restore');
  return { type: 'Restore', state, progress, description: restoring.message, reason, steps, expectedSeconds };
}
