import type { Pod } from '@fairway/kube/kinds/generated/types';
import { milliUnitsOf, tryParseQuantity } from './quantity.ts';

/** Amounts by resource name, in thousandths (1 CPU is 1000, 1 byte is 1000): exact for what a node has. */
export type Amounts = ReadonlyMap<string, number>;

/** A resource list as amounts; invalid quantities count as zero, since the API server rejects them earlier. */
export function amountsOf(list: Readonly<Record<string, string>> | undefined): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = tryParseQuantity(text);
    if (quantity) amounts.set(name, milliUnitsOf(quantity));
  }
  return amounts;
}

const requestsByPod = new WeakMap<Pod, Amounts>();

/**
 * A pod's resource requests: the sum of its containers and restartable init containers, or the largest init container together with the restartable
 * ones before it, whichever is more; plus its overhead. Like PodRequests of k8s.io/component-helpers/resource.
 */
export function podRequests(pod: Pod): Amounts {
  const known = requestsByPod.get(pod);
  if (known) return known;
  const total = podTotal(pod, 'requests');
  requestsByPod.set(pod, total);
  return total;
}

/** A pod's resource limits; containers without a limit for a resource are ignored. */
export function podLimits(pod: Pod): Amounts {
  return podTotal(pod, 'limits');
}

function podTotal(pod: Pod, list: 'requests' | 'limits'): Map<string, number> {
  const total = new Map<string, number>();
  for (const container of pod.spec?.containers ?? []) add(total, amountsOf(container.resources?.[list]));
  const sidecars = new Map<string, number>();
  const largestInit = new Map<string, number>();
  for (const container of pod.spec?.initContainers ?? []) {
    const own = amountsOf(container.resources?.[list]);
    if (container.restartPolicy === 'Always') {
      add(total, own);
      add(sidecars, own);
      raise(largestInit, sidecars);
    } else {
      add(own, sidecars);
      raise(largestInit, own);
    }
  }
  raise(total, largestInit);
  add(total, amountsOf(pod.spec?.overhead));
  return total;
}

export function add(sum: Map<string, number>, more: Amounts): void {
  for (const [name, amount] of more) sum.set(name, (sum.get(name) ?? 0) + amount);
}

export function subtract(sum: Map<string, number>, less: Amounts): void {
  for (const [name, amount] of less) sum.set(name, (sum.get(name) ?? 0) - amount);
}

function raise(most: Map<string, number>, other: Amounts): void {
  for (const [name, amount] of other) if (amount > (most.get(name) ?? 0)) most.set(name, amount);
}
