import { plans } from '@fairway/api/kinds/plan';
import type { KubeClient } from '@fairway/kube/client/kube-client';

/** As an operator: pools of the plan `free`, which renews in place as it is shipped, may choose how they are renewed. */
export async function allowAllStrategies(operator: KubeClient): Promise<void> {
  const value = { spec: { allowed: { upgradeStrategies: ['InPlace', 'Rolling'] } } };
  await operator.resource(plans).patch('free', { type: 'merge', value });
}
