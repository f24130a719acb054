import { keyOf, splitKey } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import type { Result } from '@fairway/kube/controller/result';
import type { Node, Pod, Taint } from '@fairway/kube/kinds/generated/types';
import { Nodes, Pods } from '@fairway/kube/kinds/resources';
import { tolerates } from '@fairway/scheduling/node-selection';
import type { ControllerContext } from '../context.ts';
import { deletePod, recordDisruption } from '../disrupt-pod.ts';
import { indexPodsByNode, podsOnNode } from '../pod-indexes.ts';

/**
 * When a pod must be evicted from a node with these taints, in ms since the epoch: 0 for immediately, undefined for
 * never. The shortest toleration applies, from the time the taint was added.
 */
export function evictionTimeMs({ spec }: Pod, taints: readonly Taint[]): number | undefined {
  let earliest: number | undefined;
  for (const taint of taints) {
    const fitting = (spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint));
    if (fitting.length === 0) return 0;
    const seconds = fitting.map(({ tolerationSeconds }) => tolerationSeconds).filter((value) => value !== undefined);
    if (seconds.length === 0) continue;
    const sinceMs = Date.parse(taint.timeAdded ?? '') || 0;
    const dueMs = sinceMs + Math.max(0, Math.min(...seconds)) * 1000;
    earliest = Math.min(earliest ?? Number.POSITIVE_INFINITY, dueMs);
  }
  return earliest;
}

/** Deletes pods from nodes whose NoExecute taints they do not, or no longer, tolerate (pkg/controller/tainteviction). */
export function taintEvictionController(context: ControllerContext): Controller {
  const { client, informers, clock, random, log } = context;
  const nodes = informers.informer(Nodes);
  const pods = indexPodsByNode(informers.informer(Pods));
  const events = context.events('taint-eviction-controller');

  async function reconcile(key: string): Promise<Result> {
    const pod = pods.get(key);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return {};
    const taints = evictingTaints(nodes.get(pod.spec.nodeName ?? ''));
    const dueMs = taints.length === 0 ? undefined : evictionTimeMs(pod, taints);
    if (dueMs === undefined) return {};
    const leftMs = dueMs - clock.now();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const { namespace, name } = splitKey(key);
    events.normal(pod, 'TaintManagerEviction', `Marking for deletion Pod ${namespace}/${name}`);
    const message = 'Taint manager: deleting due to NoExecute taint';
    await recordDisruption(client, pod, 'DeletionByTaintManager', message, clock.now());
    await deletePod(client, pod);
    return {};
  }

  const controller = new Controller({ name: 'taint-eviction', reconcile, clock, random, log, concurrency: 5 });
  controller.watch(pods, (pod) => (evictingTaints(nodes.get(pod.spec.nodeName ?? '')).length > 0 ? [keyOf(pod)] : []), {
    isRelevant: (old, pod) => old.spec !== pod.spec,
  });
  return controller.watch(nodes, (node) =>
    evictingTaints(node).length > 0 ? podsOnNode(pods, node.metadata.name ?? '').map(keyOf) : [],
  );
}

function evictingTaints(node: Node | undefined): Taint[] {
  return (node?.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}
