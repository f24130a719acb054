import { type ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet } from '@fairway/tenancy/problem';

/** The worst state first: it determines the reason. */
const UNREADY_STATES: readonly AddonStatus['state'][] = ['Failed', 'Degraded', 'Progressing'];

/** Whether Fairway's add-ons in the cluster work; undefined if it installs none, or if the cluster is hibernated. */
export function addonsCondition(
  addons: readonly AddonStatus[] = [],
  hibernation: { readonly wanted: boolean } | undefined,
): ConditionState | undefined {
  if (addons.length === 0 || hibernation?.wanted) return undefined;
  const type = ConditionType.AddonsReady;
  const unreadyAddons = UNREADY_STATES.flatMap((state) => addons.filter((addon) => addon.state === state));
  const [worstAddon] = unreadyAddons;
  if (worstAddon)
    return conditionUnmet(type, {
      reason: worstAddon.reason as ConditionReason,
      message: addonsMessage(unreadyAddons),
    });
  return { ...conditionMet(type), message: addonsMessage(addons.filter(({ state }) => state !== 'Ready')) };
}

function addonsMessage(addons: readonly AddonStatus[]): string {
  return addons.map(({ name, message = '' }) => `${name}: ${message}`).join('; ');
}
