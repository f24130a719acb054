import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { differsIn } from '../differs-in.ts';

/** Whether a release changed in what all clusters of it depend on: not with every step of a rollout. */
export const isOfferChanged = differsIn(offerOf);

function offerOf({ metadata, spec, status }: KubernetesRelease): unknown {
  const { rollout, forcedUpgrade } = status ?? {};
  return [
    metadata.deletionTimestamp,
    spec,
    status?.phase,
    status?.available,
    rollout?.version,
    stoppedState(rollout),
    stoppedState(forcedUpgrade),
  ];
}

function stoppedState(rollout: RolloutStatus | undefined): string {
  return rollout?.state === 'Halted' || rollout?.state === 'Paused' ? rollout.state : '';
}

/** Whether the turn has come to other clusters. */
export const isTurnChanged = differsIn(({ status }: KubernetesRelease) => [
  status?.rollout?.version,
  status?.rollout?.moving,
  status?.forcedUpgrade?.moving,
]);
