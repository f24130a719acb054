import { type ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet } from '@fairway/tenancy/problem';

/** The worst state first: it determines the reason. */
const UNREADY: readonly AddonStatus['state'][] = ['Failed', 'Degraded', 'Progressing'];

/** Whether Fairway's add-ons in the cluster work; undefined if it installs none, or the cluster is hibernated. */
export function addonsCondition(
  addons: readonly AddonStatus[] = [],
  hibernation: { readonly wanted: boolean } | undefined,
): ConditionState | undefined {
  if (addons.length === 0 || hibernation?.wanted) return undefined;
  const type = ConditionType.AddonsReady;
  const unready = UNREADY.flatMap((state) => addons.filter((addon) => addon.state === state));
  const [worst] = unready;
  if (worst) return conditionUnmet(type, { reason: worst.reason as ConditionReason, message: wordsOf(unready) });
  return { ...conditionMet(type), message: wordsOf(addons.filter(({ state }) => state !== 'Ready')) };
}

function wordsOf(addons: readonly AddonStatus[]): string {
  return addons.map(({ name, message = '' }) => `${name}: ${message}`).join('; ');
}
