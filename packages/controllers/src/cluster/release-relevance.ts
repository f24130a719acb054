import { isDeepStrictEqual } from 'node:util';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';

/** Whether a release changed in what all clusters of it depend on: not with every step of a rollout. */
export function isOfferChanged(old: KubernetesRelease, release: KubernetesRelease): boolean {
  return !isDeepStrictEqual(offerOf(old), offerOf(release));
}

function offerOf({ metadata, spec, status }: KubernetesRelease): unknown {
  const stopped =
    status?.rollout?.state === 'Halted' || status?.rollout?.state === 'Paused' ? status.rollout.state : '';
  return [metadata.deletionTimestamp, spec, status?.phase, status?.available, status?.rollout?.version, stopped];
}

/** Whether the turn has come to other clusters. */
export function isTurnChanged({ status: old }: KubernetesRelease, { status }: KubernetesRelease): boolean {
  return (
    old?.rollout?.version !== status?.rollout?.version ||
    !isDeepStrictEqual(old?.rollout?.moving, status?.rollout?.moving)
  );
}
