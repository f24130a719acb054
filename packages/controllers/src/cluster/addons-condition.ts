import { type ConditionReason, ConditionType } from '@fairway/api/conditions';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet } from '@fairway/tenancy/problem';

/** The worst first: it has the reason. */
const UNREADY: readonly AddonStatus['state'][] = ['Failed', 'Degraded', 'Progressing'];

/** Whether what Fairway installs in the cluster works; undefined where it installs nothing, or the cluster rests. */
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
