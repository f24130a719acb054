import { type Clock, formatMicroTime, formatTime } from '@fairway/base/clock';
import { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ContainerState, Lease, Node, Pod } from '@fairway/kube/kinds/generated/types';
import { Leases, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

/** What a pod does when started: run, stay in ContainerCreating, or exit with a code. */
export type PodFate = 'run' | 'hold' | { readonly exitCode: number };

export interface FakeNodesOptions {
  /** What each pod does; all run by default. */
  readonly fateOf?: (pod: Pod) => PodFate;
}

/** Fake nodes for tests: they report the minimum that a kubelet reports for its pods. */
export class FakeNodes {
  fateOf: (pod: Pod) => PodFate;
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #dead = new Set<string>();
  readonly #known = new Set<string>();
  readonly #stop = new AbortController();
  readonly #informer: Informer<Pod>;
  readonly #work = new Set<Promise<void>>();
  #addresses = 0;

  constructor(client: KubeClient, clock: Clock, { fateOf = () => 'run' }: FakeNodesOptions = {}) {
    this.#client = client;
    this.#clock = clock;
    this.fateOf = fateOf;
    this.#informer = new Informer(client.resource(Pods), { clock });
    this.#informer.addHandler({
      onAdd: (pod) => this.#sync(pod),
      onUpdate: (_, pod) => this.#sync(pod),
    });
    this.#informer.start(this.#stop.signal);
  }

  async add(
    name: string,
    node: { labels?: Record<string, string>; cpu?: string; memory?: string } = {},
  ): Promise<Node> {
    const { labels = {}, cpu = '4', memory = '8Gi' } = node;
    const capacity = { cpu, memory, pods: '110', 'ephemeral-storage': '50Gi' };
    const nodes = this.#client.resource(Nodes);
    const created = await nodes.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      spec: {},
    });
    this.#known.add(name);
    await this.heartbeat(name);
    const now = formatTime(this.#clock.now());
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      message: 'kubelet is posting ready status',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
    return await nodes.patch(
      name,
      {
        type: 'strategic',
        value: {
          metadata: { uid: created.metadata.uid },
          status: { capacity, allocatable: capacity, conditions: [ready] },
        },
      },
      { subresource: 'status' },
    );
  }

  /** Takes over existing nodes. */
  resume(names: readonly string[]): void {
    for (const name of names) this.#known.add(name);
    this.resync();
  }

  /** Renews the node's Lease. */
  async heartbeat(name: string): Promise<void> {
    const leases = this.#client.resource<Lease>(Leases);
    const namespace = 'kube-node-lease';
    const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(this.#clock.now()) };
    try {
      await leases.patch(name, { type: 'merge', value: { spec } }, { namespace });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      await leases.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec });
    }
  }

  /** Renews the Leases of all live nodes. */
  async heartbeats(): Promise<void> {
    for (const name of this.#known) if (!this.#dead.has(name)) await this.heartbeat(name);
  }

  /** Kills the node: it stops without reporting. */
  kill(name: string): void {
    this.#dead.add(name);
  }

  /** Re-evaluates all pods after `fateOf` has changed. */
  resync(): void {
    for (const pod of this.#informer.list()) this.#sync(pod);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#informer.stopped;
    await Promise.all(this.#work);
  }

  #sync(pod: Pod): void {
    const node = pod.spec.nodeName;
    if (!node || !this.#known.has(node) || this.#dead.has(node)) return;
    const work = this.#act(pod).catch((error: unknown) => {
      if (!isApiError(error, 'NotFound', 'Conflict', 'ServiceUnavailable')) throw error;
    });
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  async #act(pod: Pod): Promise<void> {
    const { name = '', namespace = '', uid, deletionTimestamp } = pod.metadata;
    const pods = this.#client.resource(Pods);
    if (deletionTimestamp !== undefined) {
      const uidOption = uid === undefined ? {} : { uid };
      if (!pod.metadata.finalizers?.length || pod.metadata.deletionGracePeriodSeconds !== 0) {
        await pods.delete(name, { namespace, gracePeriodSeconds: 0, ...uidOption });
      }
      return;
    }
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return;
    const fate = this.fateOf(pod);
    if (fate === 'hold' || (fate === 'run' && pod.status?.phase === 'Running')) return;
    const status = fate === 'run' ? this.#running(pod) : this.#ended(pod, fate.exitCode);
    await pods.patch(
      name,
      { type: 'strategic', value: { metadata: { uid }, status } },
      { namespace, subresource: 'status' },
    );
  }

  #running(pod: Pod): object {
    const now = formatTime(this.#clock.now());
    this.#addresses++;
    const podIP = `10.2.${Math.floor(this.#addresses / 250)}.${(this.#addresses % 250) + 1}`;
    return {
      phase: 'Running',
      startTime: now,
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: now },
        { type: 'ContainersReady', status: 'True', lastTransitionTime: now },
        { type: 'Initialized', status: 'True', lastTransitionTime: now },
      ],
      containerStatuses: containerStatuses(pod, { running: { startedAt: now } }),
    };
  }

  #ended(pod: Pod, exitCode: number): object {
    const now = formatTime(this.#clock.now());
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    return {
      phase: exitCode === 0 ? 'Succeeded' : 'Failed',
      startTime: now,
      conditions: [{ type: 'Ready', status: 'False', reason: 'PodCompleted', lastTransitionTime: now }],
      containerStatuses: containerStatuses(pod, { terminated: { exitCode, reason, startedAt: now, finishedAt: now } }),
    };
  }
}

function containerStatuses(pod: Pod, state: ContainerState): object[] {
  return pod.spec.containers.map(({ name, image = '' }) => ({
    name,
    image,
    imageID: image,
    ready: state.running !== undefined,
    started: state.running !== undefined,
    restartCount: 0,
    state,
  }));
}
