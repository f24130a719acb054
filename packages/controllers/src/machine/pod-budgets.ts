import { ADDON_NAMESPACE } from '@fairway/addons/addon';
import { boundedPages } from '@fairway/kube/client/bounded-pages';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { PodDisruptionBudgets } from '@fairway/kube/kinds/resources';
import { compileLabelSelector, type LabelMatcher, matchesLabels } from '@fairway/kube/object/selector';
import { isMember } from '../addons/membership.ts';
import { type DrainedPod, firstPods, namesOf } from './pod-eviction.ts';

/** Which pods PodDisruptionBudgets block. */
export interface BlockingBudgets {
  readonly pods: readonly DrainedPod[];
  /** `namespace/name` of the budgets that block the first of them; may be empty. */
  readonly budgets: string;
  /** Whether only budgets of Fairway's add-ons block pods, about which users can do nothing. */
  readonly isAddon: boolean;
}

/**
 * The budgets that block these pods: the tenant's, or if there are none, those of add-ons. Rejects with the tenant's
 * error.
 */
export async function blockingBudgets(
  client: KubeClient,
  blocked: readonly DrainedPod[],
  signal: AbortSignal,
): Promise<BlockingBudgets> {
  const addonPods = blocked.filter(({ metadata }) => metadata.namespace === ADDON_NAMESPACE);
  const addonBudgets = addonPods.length === 0 ? [] : await budgetsIn(client, ADDON_NAMESPACE, signal);
  const isAddonPod = (pod: DrainedPod) => {
    const matching = addonPods.includes(pod) ? budgetsOf(pod, addonBudgets) : [];
    return matching.length > 0 && matching.every(({ budget }) => isMember(budget));
  };
  const tenantPods = blocked.filter((pod) => !isAddonPod(pod));
  const isAddon = tenantPods.length === 0;
  const pods = isAddon ? blocked : tenantPods;
  const first = firstPods(pods);
  const namespaces = [...new Set(first.map(({ metadata }) => metadata.namespace ?? ''))];
  const found = await Promise.all(
    namespaces.map(async (namespace) => {
      const budgets = namespace === ADDON_NAMESPACE ? addonBudgets : await budgetsIn(client, namespace, signal);
      const inNamespace = first.filter(({ metadata }) => metadata.namespace === namespace);
      return budgets.filter((each) => inNamespace.some((pod) => budgetsOf(pod, [each]).length > 0));
    }),
  );
  return { pods, budgets: namesOf(found.flat().map(({ budget }) => budget)), isAddon };
}

/** For messages: the budgets, and what the user can do about them. */
export function describeBlockingBudgets({ pods, budgets, isAddon }: BlockingBudgets): string {
  const who = budgets === '' ? 'a PodDisruptionBudget' : `PodDisruptionBudget ${budgets}`;
  if (!isAddon) return `${who} blocks the eviction of ${namesOf(pods)}: run more replicas, or relax the budget`;
  return `${namesOf(pods)} of an add-on can be evicted once the add-on's other pods are ready; see status.addons of the Cluster`;
}

interface CompiledBudget {
  readonly budget: PodDisruptionBudget;
  readonly matcher: LabelMatcher;
}

async function budgetsIn(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly CompiledBudget[]> {
  const found: CompiledBudget[] = [];
  for await (const page of boundedPages(client.resource(PodDisruptionBudgets), { namespace, signal })) {
    found.push(...page.map((budget) => ({ budget, matcher: compileLabelSelector(budget.spec?.selector) })));
  }
  return found;
}

function budgetsOf({ metadata }: DrainedPod, budgets: readonly CompiledBudget[]): readonly CompiledBudget[] {
  return budgets.filter(({ matcher }) => matchesLabels(matcher, metadata.labels));
}
