import { plans } from '@fairway/api/kinds/plan';
import type { KubeClient } from '@fairway/kube/client/kube-client';

/** Lets pools in the `free` plan choose their upgrade strategy, which is in place by default. Requires an operator. */
export async function allowAllStrategies(operator: KubeClient): Promise<void> {
  const value = { spec: { allowed: { upgradeStrategies: ['InPlace', 'Rolling'] } } };
  await operator.resource(plans).patch('free', { type: 'merge', value });
}
