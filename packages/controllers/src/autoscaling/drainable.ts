import type { Pod, PodDisruptionBudget } from '@fairway/kube/kinds/generated/types';
import { compileLabelSelector, type LabelMatcher, matchesLabels } from '@fairway/kube/object/selector';
import { staysWithNode } from '@fairway/scheduling/node-removal';
import { usesResources } from '@fairway/scheduling/node-state';

const SAFE_TO_EVICT_ANNOTATION = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

/** PodDisruptionBudgets, compiled once for a decision about many nodes. */
export class DisruptionBudgets {
  readonly #budgetsByNamespace = new Map<
    string,
    { readonly name: string; readonly matcher: LabelMatcher; readonly allowed: number }[]
  >();

  constructor(budgets: Iterable<PodDisruptionBudget>) {
    for (const { metadata, spec, status } of budgets) {
      const { namespace = '', name = '' } = metadata;
      const of = this.#budgetsByNamespace.get(namespace) ?? [];
      of.push({ name, matcher: compileLabelSelector(spec?.selector), allowed: status?.disruptionsAllowed ?? 0 });
      this.#budgetsByNamespace.set(namespace, of);
    }
  }

  /** The budget that allows no eviction of the pod now; undefined if none prevents it. */
  blockingBudget({ metadata }: Pod): string | undefined {
    return this.#budgetsByNamespace
      .get(metadata.namespace ?? '')
      ?.find(({ matcher, allowed }) => allowed < 1 && matchesLabels(matcher, metadata.labels))?.name;
  }
}

/**
 * Why a pod must not be moved to scale the cluster down; undefined if it may. cluster-autoscaler's rules with OVHcloud's settings: pods
 * with local storage and system pods are moved too.
 */
export function immovableReason(pod: Pod, budgets: DisruptionBudgets): string | undefined {
  if (!usesResources(pod) || staysWithNode(pod) || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const isSafe = pod.metadata.annotations?.[SAFE_TO_EVICT_ANNOTATION];
  const name = `pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  if (isSafe === 'false') return `${name} has the annotation ${SAFE_TO_EVICT_ANNOTATION}: "false"`;
  const isOwned = pod.metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
  if (!isOwned && isSafe !== 'true') return `${name} has no controller to recreate it`;
  const budget = budgets.blockingBudget(pod);
  if (budget !== undefined)
    return `PodDisruptionBudget ${pod.metadata.namespace}/${budget} allows no eviction of ${name}`;
  return undefined;
}
