import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import { Nodes, Pods } from '@fairway/kube/kinds/resources';
import type { ControllerContext } from '../context.ts';
import { deletePod, recordDisruption } from '../disrupt-pod.ts';
import { indexPodsByNode, podsOnNode } from '../pod-indexes.ts';
import { isPodFinished } from '../pods.ts';

/** A deleted node may be re-created under the same name: its pods are kept for this long. */
const QUARANTINE_MS = 40_000;

/** Deletes pods whose node no longer exists (pkg/controller/podgc). */
export function podGarbageCollector(context: ControllerContext): Controller {
  const { client, informers, reader, clock, random, log } = context;
  const nodes = informers.informer(Nodes);
  const pods = indexPodsByNode(informers.informer(Pods));
  const missingSinceMs = new Map<string, number>();

  const controller = new Controller({
    name: 'pod-garbage-collector',
    clock,
    random,
    log,
    async reconcile(key) {
      const pod = pods.get(key);
      const node = pod?.spec.nodeName;
      if (pod === undefined || !node) return {};
      if (reader.get(Nodes, '', node) !== undefined) {
        missingSinceMs.delete(node);
        return {};
      }
      const sinceMs = missingSinceMs.get(node) ?? clock.now();
      missingSinceMs.set(node, sinceMs);
      const leftMs = sinceMs + QUARANTINE_MS - clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      if (!isPodFinished(pod)) {
        await recordDisruption(client, pod, 'DeletionByPodGC', 'PodGC: node no longer exists', clock.now(), 'Failed');
      }
      await deletePod(client, pod, { gracePeriodSeconds: 0 });
      return {};
    },
  });
  nodes.addHandler({
    onAdd: ({ metadata }) => missingSinceMs.delete(metadata.name ?? ''),
    onDelete: ({ metadata }) => {
      for (const pod of podsOnNode(pods, metadata.name ?? '')) controller.enqueue(keyOf(pod));
    },
  });
  return controller.watch(pods, (pod) =>
    pod.spec.nodeName && nodes.get(pod.spec.nodeName) === undefined ? [keyOf(pod)] : [],
  );
}
