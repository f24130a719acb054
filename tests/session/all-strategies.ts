import { plans } from '@fairway/api/kinds/plan';
import type { KubeClient } from '@fairway/kube/client/kube-client';

/** As an operator: pools of the plan `free`, which upgrades in place by default, may choose their strategy. */
export async function allowAllStrategies(operator: KubeClient): Promise<void> {
  const value = { spec: { allowed: { upgradeStrategies: ['InPlace', 'Rolling'] } } };
  await operator.resource(plans).patch('free', { type: 'merge', value });
}
