import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { hasChangedIn } from '../has-changed-in.ts';

/** Whether a release changed in a field that all its clusters depend on, rather than in a step of a rollout. */
export const isOfferChanged = hasChangedIn(offerOf);

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

/** Whether rollout slots have moved to other clusters. */
export const isSlotChanged = hasChangedIn(({ status }: KubernetesRelease) => [
  status?.rollout?.version,
  status?.rollout?.moving,
  status?.forcedUpgrade?.moving,
]);
