import { formatTime } from '@fairway/base/clock';
import { Controller } from '@fairway/kube/controller/controller';
import type { Result } from '@fairway/kube/controller/result';
import type { Lease, Node, Pod } from '@fairway/kube/kinds/generated/types';
import { Leases, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { jsonEqual } from '@fairway/kube/object/json';
import type { ControllerContext } from '../context.ts';
import { indexPodsByNode, podsOnNode } from '../pod-indexes.ts';
import { podCondition } from '../pods.ts';
import { EvictionBrake } from './eviction-brake.ts';
import { desiredTaints, readinessOf, unknownConditions } from './node-health.ts';

/** --node-monitor-grace-period since Kubernetes 1.32. */
const GRACE_MS = 50_000;
const LEASE_NAMESPACE = 'kube-node-lease';

/** The last heartbeat of a node. */
interface Heartbeat {
  readonly renewTime: string | undefined;
  readonly heartbeat: string | undefined;
  readonly atMs: number;
}

/**
 * Monitors nodes (pkg/controller/nodelifecycle). A node that stops renewing its Lease becomes Unknown and is tainted,
 * and its pods are marked not ready. Nothing is polled: a node is checked when it changes and when its last heartbeat
 * becomes too old.
 */
export function nodeLifecycleController(context: ControllerContext): Controller {
  const { client, informers, reader, clock, random, log } = context;
  const nodes = informers.informer(Nodes);
  const pods = indexPodsByNode(informers.informer(Pods));
  const events = context.events('node-controller');
  const heartbeats = new Map<string, Heartbeat>();
  const brake = new EvictionBrake();

  async function reconcile(name: string): Promise<Result> {
    const node = reader.get(Nodes, '', name);
    if (node === undefined) {
      heartbeats.delete(name);
      return {};
    }
    const observed = observeHeartbeat(name, node);
    const leftMs = observed.atMs + GRACE_MS - clock.now();
    const current = leftMs <= 0 ? await markUnknown(node) : node;
    const retryMs = await taint(current);
    if (readinessOf(current) !== 'True') await markPods(name);
    const waits = [leftMs > 0 ? leftMs : undefined, retryMs].filter((wait) => wait !== undefined);
    return waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) };
  }

  /** The time of the last heartbeat. The node's own clock is trusted only between the previous heartbeat and now. */
  function observeHeartbeat(name: string, node: Node): Heartbeat {
    const known = heartbeats.get(name);
    const { renewTime } = reader.get<Lease>(Leases, LEASE_NAMESPACE, name)?.spec ?? {};
    const heartbeat = node.status?.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime;
    if (known?.renewTime === renewTime && known?.heartbeat === heartbeat && known) return known;
    const reportedMs = Math.max(...[renewTime, heartbeat].map((time) => Date.parse(time ?? '') || 0));
    // A node seen for the first time gets the full grace period, since its earlier heartbeats were not observed.
    const atMs = known === undefined ? clock.now() : Math.min(Math.max(reportedMs, known.atMs), clock.now());
    const observed = { renewTime, heartbeat, atMs };
    heartbeats.set(name, observed);
    return observed;
  }

  async function markUnknown(node: Node): Promise<Node> {
    const conditions = unknownConditions(node, clock.now());
    if (conditions === node.status?.conditions) return node;
    const { name = '', uid, resourceVersion } = node.metadata;
    const value = { metadata: { uid, resourceVersion }, status: { conditions } };
    const written = await client.resource(Nodes).patch(name, { type: 'merge', value }, { subresource: 'status' });
    events.normal(node, 'NodeNotReady', `Node ${name} status is now: NodeNotReady`);
    return written;
  }

  /** Resolves with the time after which to retry a delayed taint. */
  async function taint(node: Node): Promise<number | undefined> {
    const isReady = readinessOf(node) === 'True';
    const hasReported = node.status?.conditions?.some(({ type }) => type === 'Ready') ?? false;
    const decision = isReady || !hasReported ? undefined : brake.decide(node, nodes.list(), clock.now());
    const taints = desiredTaints(node, decision?.kind === 'go', clock.now());
    if (!jsonEqual(taints, node.spec.taints ?? [])) {
      const { name = '', uid } = node.metadata;
      // Uses the resourceVersion that was read to avoid overwriting another writer's taints.
      const resourceVersion = reader.get(Nodes, '', name)?.metadata.resourceVersion;
      const value = { metadata: { uid, resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } };
      await client.resource(Nodes).patch(name, { type: 'merge', value });
    }
    return decision?.kind === 'wait' ? decision.waitMs : undefined;
  }

  /** Pods on an unreachable node are marked not ready. */
  async function markPods(name: string): Promise<void> {
    for (const pod of podsOnNode(pods, name)) {
      if (podCondition(pod, 'Ready')?.status === 'True') await markPod(pod);
    }
  }

  async function markPod(pod: Pod): Promise<void> {
    const { name = '', namespace = '', uid } = pod.metadata;
    const condition = { type: 'Ready', status: 'False', lastTransitionTime: formatTime(clock.now()) };
    const value = { metadata: { uid }, status: { conditions: [condition] } };
    try {
      await client.resource(Pods).patch(name, { type: 'strategic', value }, { namespace, subresource: 'status' });
      events.warning(pod, 'NodeNotReady', 'Node is not ready');
    } catch (error) {
      if (!isApiError(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  const controller = new Controller({ name: 'node-lifecycle', reconcile, clock, random, log });
  controller.watch(nodes);
  // The brake depends on all nodes: a change to one may allow or block evictions from another.
  nodes.addHandler({
    onUpdate: (old, node) => {
      if (readinessOf(old) === readinessOf(node)) return;
      for (const other of nodes.list())
        if (readinessOf(other) !== 'True') controller.enqueue(other.metadata.name ?? '');
    },
  });
  return controller;
}
