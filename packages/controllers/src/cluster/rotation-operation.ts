import { ConditionReason } from '@fairway/api/conditions';
import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { isOver, type Operation, percentOf } from '../operation.ts';
import { measuredSeconds } from './durations.ts';

type Told = Pick<ClusterStatus, 'credentials' | 'durations' | 'lastOperation'>;

/**
 * A phase of a rotation of credentials as one operation: the control plane is a step, and while it is prepared each node. Undefined while there is none, or an
 * upgrade goes on that began before, and renews the nodes for both. `upgrading` says what the nodes wait for. Pure.
 */
export function rotationOperation(status: Told | undefined, upgrading: Operation | undefined): Operation | undefined {
  const { credentials, durations, lastOperation: last } = status ?? {};
  const type = 'RotateCredentials';
  const expectedSeconds = measuredSeconds(durations, 'ControlPlane');
  if (credentials?.phase === 'Completing') {
    const description = 'the control plane starts again without the former certificate authorities and keys';
    return { type, state: 'Processing', progress: 0, description, steps: { done: 0, total: 1 }, expectedSeconds };
  }
  if (credentials?.phase === 'Prepared' && last?.type === type && !isOver(last) && upgrading?.state === 'Processing') {
    // The last node is renewed, and its pool has not said so yet.
    const { description, progress, steps } = last;
    return { type, state: 'Processing', progress, description, steps };
  }
  if (credentials?.phase !== 'Preparing') return undefined;
  if (last?.type === 'Upgrade' && !isOver(last)) return undefined;
  const { total = 0, renewed = 0 } = credentials.nodes ?? {};
  const isTaught = credentials.generation !== undefined && upgrading !== undefined;
  const steps = { done: Number(isTaught || renewed > 0) + renewed, total: 1 + total };
  const description = 'the control plane is taught the next certificate authorities';
  const base = { type, state: 'Processing', progress: percentOf(steps), description, steps } as const;
  if (upgrading === undefined) return base;
  const { state, reason, since, estimatedEndTime } = upgrading;
  const words = { description: upgrading.description, reason, since };
  // One that its user has ended keeps the rotation from its end.
  if (state === 'Failed')
    return { ...base, ...words, state: 'Error', reason: reason ?? ConditionReason.UpgradeAborted };
  return { ...base, ...words, state, estimatedEndTime };
}

/** What a rotation has come to whose operation is over. */
export function rotationEnd(status: Told | undefined): string | undefined {
  const { phase } = status?.credentials ?? {};
  if (phase === 'Prepared')
    return 'everything trusts the next certificate authorities too; the rotation waits to be completed';
  return phase === 'Stable' ? 'nothing trusts the former certificate authorities any more' : undefined;
}
