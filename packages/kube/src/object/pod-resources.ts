import type { Pod } from '@fairway/kube/kinds/generated/types';
import { milliUnitsOf, tryParseQuantity } from './quantity.ts';

/** Amounts by resource name, in thousandths (1 CPU is 1000, 1 byte is 1000): exact for a node's resources. */
export type Amounts = ReadonlyMap<string, number>;

/** A resource list as amounts. Invalid quantities count as zero, because the API server rejects them earlier. */
export function parseAmounts(list: Readonly<Record<string, string>> | undefined): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = tryParseQuantity(text);
    if (quantity) amounts.set(name, milliUnitsOf(quantity));
  }
  return amounts;
}

const requestsByPod = new WeakMap<Pod, Amounts>();

/**
 * A pod's resource requests: the larger of the sum of its containers and restartable init containers, and the largest
 * init container together with the restartable ones before it; plus its overhead. Like PodRequests of
 * k8s.io/component-helpers/resource.
 */
export function podRequests(pod: Pod): Amounts {
  const known = requestsByPod.get(pod);
  if (known) return known;
  const total = podResources(pod, 'requests');
  requestsByPod.set(pod, total);
  return total;
}

/** A pod's resource limits; containers without a limit for a resource are ignored. */
export function podLimits(pod: Pod): Amounts {
  return podResources(pod, 'limits');
}

function podResources(pod: Pod, list: 'requests' | 'limits'): Map<string, number> {
  const total = new Map<string, number>();
  for (const container of pod.spec?.containers ?? []) add(total, parseAmounts(container.resources?.[list]));
  const sidecars = new Map<string, number>();
  const largestInit = new Map<string, number>();
  for (const container of pod.spec?.initContainers ?? []) {
    const own = parseAmounts(container.resources?.[list]);
    if (container.restartPolicy === 'Always') {
      add(total, own);
      add(sidecars, own);
      raiseToMax(largestInit, sidecars);
    } else {
      add(own, sidecars);
      raiseToMax(largestInit, own);
    }
  }
  raiseToMax(total, largestInit);
  add(total, parseAmounts(pod.spec?.overhead));
  return total;
}

export function add(sum: Map<string, number>, more: Amounts): void {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + amount);
}

export function subtract(sum: Map<string, number>, subtrahend: Amounts): void {
  for (const [name, amount] of subtrahend) sum.set(name, (sum.get(name) ?? 0) - amount);
}

function raiseToMax(maxima: Map<string, number>, other: Amounts): void {
  for (const [name, amount] of other) if (amount > (maxima.get(name) ?? 0)) maxima.set(name, amount);
}
