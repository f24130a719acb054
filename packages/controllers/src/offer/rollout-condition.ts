import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { isMinor } from '@fairway/api/domain/version-numbers';
import { RETRY_ANNOTATION } from '@fairway/api/group';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet } from '@fairway/tenancy/problem';

/** The progress of a rollout as a condition. */
export function rolloutState(
  type: typeof ConditionType.RolledOut | typeof ConditionType.EndOfLifeEnforced,
  release: KubernetesRelease,
  rollout: RolloutStatus,
): ConditionState {
  switch (rollout.state) {
    case 'Complete':
      return conditionMet(type);
    case 'Halted':
      return conditionUnmet(type, { reason: ConditionReason.RolloutHalted, message: haltMessage(release, rollout) });
    case 'Paused':
      return conditionUnmet(type, {
        reason: ConditionReason.RolloutHalted,
        message: `spec.rollout.paused: no further cluster is updated to ${rollout.version}`,
      });
    case 'Canaries':
    case 'Rolling': {
      const field = type === ConditionType.RolledOut ? 'rollout' : 'forcedUpgrade';
      const { paused = 0 } = rollout;
      const left = paused > 0 ? `; ${pluralize(paused, 'cluster')} paused by the user` : '';
      const message = `${rollout.version} is being rolled out; see status.${field} for progress${left}`;
      return conditionUnmet(type, { reason: ConditionReason.Updating, message });
    }
  }
}

export function haltMessage({ metadata }: KubernetesRelease, { version, failed }: RolloutStatus): string {
  const named = failed.slice(0, 3).map(({ namespace, name, message }) => `${namespace}/${name} ${message}`);
  const more = failed.length > 3 ? `; ${failed.length - 3} more` : '';
  return (
    `no further cluster is updated to ${version}, because ${named.join('; ')}${more}. ` +
    `The rollout continues when they are ready; to retry them: kubectl annotate kubernetesrelease ${metadata.name} ${RETRY_ANNOTATION}="$(date)" --overwrite; ` +
    giveUp(version)
  );
}

function giveUp(version: string): string {
  if (!isMinor(version)) return `to abandon the patch: set withdrawn: true for ${version} in spec.patches`;
  return 'to start no further upgrades: remove spec.forcedUpgrade';
}
