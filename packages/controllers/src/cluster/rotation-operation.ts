import { ConditionReason } from '@fairway/api/conditions';
import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { isOver, type Operation, percentDone } from '../operation.ts';
import { measuredSeconds } from './durations.ts';

type RotationStatus = Pick<ClusterStatus, 'credentials' | 'durations' | 'lastOperation'>;

/**
 * A phase of a credential rotation as one operation: the control plane is a step, and so is each node during the
 * preparation. Undefined if none is in progress, or during an earlier upgrade, which updates the nodes for both.
 * `upgrading` is what the nodes are waiting for; `isReady` is the cluster's. Pure.
 */
export function rotationOperation(
  status: RotationStatus | undefined,
  upgrading: Operation | undefined,
  isReady = true,
): Operation | undefined {
  const { credentials, durations, lastOperation: last } = status ?? {};
  const type = 'RotateCredentials';
  const expectedSeconds = measuredSeconds(durations, 'ControlPlane');
  if (credentials?.phase === 'Completing') {
    const description = 'the control plane is restarting without the old certificate authorities and keys';
    return { type, state: 'Processing', progress: 0, description, steps: { done: 0, total: 1 }, expectedSeconds };
  }
  const isFinishing = upgrading?.state === 'Processing' || (upgrading === undefined && !isReady);
  if (credentials?.phase === 'Prepared' && last?.type === type && !isOver(last) && isFinishing) {
    // The last node is updated, but its pool has not reported it yet, or the node is not Ready yet.
    const { description, progress, steps } = last;
    return { type, state: 'Processing', progress, description, steps };
  }
  if (credentials?.phase !== 'Preparing') return undefined;
  if (last?.type === 'Upgrade' && !isOver(last)) return undefined;
  const { total = 0, renewed = 0 } = credentials.nodes ?? {};
  const areNodesInformed = credentials.generation !== undefined && upgrading !== undefined;
  const steps = { done: Number(areNodesInformed || renewed > 0) + renewed, total: 1 + total };
  const description = 'the control plane is being configured to trust the new certificate authorities';
  const base = { type, state: 'Processing', progress: percentDone(steps), description, steps } as const;
  if (upgrading === undefined) return base;
  const { state, reason, since, estimatedEndTime } = upgrading;
  const words = { description: upgrading.description, reason, since };
  // An upgrade that the user aborted prevents the rotation from completing.
  if (state === 'Failed')
    return { ...base, ...words, state: 'Error', reason: reason ?? ConditionReason.UpgradeAborted };
  return { ...base, ...words, state, estimatedEndTime };
}

/** The result of a rotation whose operation has ended. */
export function rotationEnd(status: RotationStatus | undefined): string | undefined {
  const { phase } = status?.credentials ?? {};
  if (phase === 'Prepared')
    return 'all components trust the new certificate authorities too; the rotation is waiting to be completed';
  return phase === 'Stable' ? 'the old certificate authorities are no longer trusted' : undefined;
}
