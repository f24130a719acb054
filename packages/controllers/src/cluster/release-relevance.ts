import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { differsIn } from '../differs-in.ts';

/** Whether a release changed in what all clusters of it depend on: not with every step of a rollout. */
export const isOfferChanged = differsIn(offerOf);

function offerOf({ metadata, spec, status }: KubernetesRelease): unknown {
  const stopped =
    status?.rollout?.state === 'Halted' || status?.rollout?.state === 'Paused' ? status.rollout.state : '';
  return [metadata.deletionTimestamp, spec, status?.phase, status?.available, status?.rollout?.version, stopped];
}

/** Whether the turn has come to other clusters. */
export const isTurnChanged = differsIn(({ status }: KubernetesRelease) => [
  status?.rollout?.version,
  status?.rollout?.moving,
]);
