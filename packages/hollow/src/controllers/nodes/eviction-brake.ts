import type { Node } from '@fairway/kube/kinds/generated/types';
import { isEvicting, readinessOf } from './node-health.ts';

/** Upstream's --node-eviction-rate, --secondary-node-eviction-rate, --unhealthy-zone-threshold, --large-cluster-size-threshold. */
const NODE_INTERVAL_MS = 10_000;
const SLOW_INTERVAL_MS = 100_000;
const UNHEALTHY_SHARE = 0.55;
const LARGE_CLUSTER_SIZE = 50;

/** Whether a node's pods may be evicted: now, after a delay in ms, or not in the current state. */
export type BrakeDecision =
  | { readonly kind: 'go' }
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'halt' };

/**
 * Limits evictions when a control plane loses contact with its nodes: one node every ten seconds per zone. If most
 * nodes in a zone are down, the rate is a tenth of that, or zero in a small cluster. If all zones are down, nothing is
 * evicted, since the fault is then likely on our side.
 */
export class EvictionBrake {
  readonly #lastMs = new Map<string, number>();

  decide(node: Node, nodes: readonly Node[], nowMs: number): BrakeDecision {
    if (nodes.every((other) => readinessOf(other) !== 'True')) return { kind: 'halt' };
    if (isEvicting(node)) return { kind: 'go' };
    const zone = zoneOf(node);
    const members = nodes.filter((other) => zoneOf(other) === zone);
    const notReadyCount = members.filter((other) => readinessOf(other) !== 'True').length;
    const isPartial =
      notReadyCount < members.length && notReadyCount > 2 && notReadyCount / members.length >= UNHEALTHY_SHARE;
    if (isPartial && members.length <= LARGE_CLUSTER_SIZE) return { kind: 'halt' };
    const intervalMs = isPartial ? SLOW_INTERVAL_MS : NODE_INTERVAL_MS;
    const waitMs = (this.#lastMs.get(zone) ?? Number.NEGATIVE_INFINITY) + intervalMs - nowMs;
    if (waitMs > 0) return { kind: 'wait', waitMs };
    this.#lastMs.set(zone, nowMs);
    return { kind: 'go' };
  }
}

function zoneOf({ metadata }: Node): string {
  const { labels = {} } = metadata;
  return `${labels['topology.kubernetes.io/region'] ?? ''}/${labels['topology.kubernetes.io/zone'] ?? ''}`;
}
