import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Namespaces, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { isNodeReady, type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';

const NAMESPACE = 'default';
const IN_DEFAULT_NAMESPACE = { namespace: NAMESPACE };
const LABELS = { app: 'web' };

/**
 * Simulates a tenant's cluster whose control plane has no controllers: kubelets that report whether their server runs,
 * and an application with several pods whose budget allows one eviction at a time. Everything happens in
 * `tick`.
 */
export class TenantWorkload {
  readonly #client: KubeClient;
  readonly #size: number;
  readonly #pool: string;
  #createdCount = 0;

  private constructor(client: KubeClient, size: number, pool: string) {
    this.#client = client;
    this.#size = size;
    this.#pool = pool;
  }

  /** The application runs on nodes in one pool. */
  static async start(client: KubeClient, size: number, pool: string): Promise<TenantWorkload> {
    const workload = new TenantWorkload(client, size, pool);
    await client
      .resource(Namespaces)
      .create({ metadata: { name: NAMESPACE }, spec: {} })
      .catch(() => undefined);
    await client.resource(PodDisruptionBudgets).create({
      metadata: { name: 'web', ...IN_DEFAULT_NAMESPACE },
      spec: { minAvailable: size - 1, selector: { matchLabels: LABELS } },
    });
    return workload;
  }

  /** `isRunning` returns whether the server with this name is running. */
  async tick(isRunning: (name: string) => boolean): Promise<void> {
    const nodes = await this.#updateNodeStatuses(isRunning);
    await this.#place(nodes);
    await this.#count(nodes);
  }

  /** The application's pods that run on the node and are not being evicted. */
  async runningPods(nodeName: string): Promise<number> {
    const pods = await this.#pods();
    return pods.filter(({ metadata, spec }) => spec?.nodeName === nodeName && !metadata.deletionTimestamp).length;
  }

  async #updateNodeStatuses(isRunning: (name: string) => boolean): Promise<ReadonlyMap<string, TenantNode>> {
    const resource = this.#client.resource(tenantNodes);
    const { items } = await resource.list();
    for (const node of items) {
      const { name = '' } = node.metadata;
      const isUp = isRunning(name);
      if (isNodeReady(node) === isUp) continue;
      const ready = isUp
        ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }
        : {
            type: 'Ready',
            status: 'Unknown',
            reason: 'NodeStatusUnknown',
            message: 'Kubelet stopped posting node status.',
          };
      const value = { status: { conditions: [ready] } };
      await ignoreDeleted(resource.patch(name, { type: 'merge', value }, { subresource: 'status' }));
    }
    return new Map((await resource.list()).items.map((node) => [node.metadata.name ?? '', node]));
  }

  async #place(nodes: ReadonlyMap<string, TenantNode>): Promise<void> {
    const pods = this.#client.resource(Pods);
    const left: Pod[] = [];
    for (const pod of await this.#pods()) {
      const node = nodes.get(pod.spec?.nodeName ?? '');
      const isOver = pod.metadata.deletionTimestamp !== undefined && (node === undefined || isNodeReady(node));
      if (node === undefined || isOver) {
        await ignoreDeleted(pods.delete(pod.metadata.name ?? '', { ...IN_DEFAULT_NAMESPACE, gracePeriodSeconds: 0 }));
      } else left.push(pod);
    }
    const staying = left.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const free = [...nodes.values()].filter((node) => this.#isSchedulable(node));
    for (let missing = this.#size - staying.length; missing > 0 && free.length > 0; missing--) {
      const load = ({ metadata }: TenantNode) => staying.filter(({ spec }) => spec?.nodeName === metadata.name).length;
      const [node] = free.toSorted((a, b) => load(a) - load(b));
      staying.push(await this.#run(node?.metadata.name ?? ''));
    }
  }

  #isSchedulable(node: TenantNode): boolean {
    const isOfPool = node.metadata.labels?.['fairway.dev/node-pool'] === this.#pool;
    return isOfPool && isNodeReady(node) && node.spec?.unschedulable !== true;
  }

  async #run(nodeName: string): Promise<Pod> {
    const name = `web-${this.#createdCount++}`;
    const container = { name: 'web', image: 'web:1' };
    const pods = this.#client.resource(Pods);
    await pods.create({
      metadata: { name, ...IN_DEFAULT_NAMESPACE, labels: LABELS },
      spec: { nodeName, containers: [container] },
    });
    const conditions = [{ type: 'Ready', status: 'True' }];
    const value = { status: { phase: 'Running', conditions } };
    return pods.patch(name, { type: 'merge', value }, { ...IN_DEFAULT_NAMESPACE, subresource: 'status' });
  }

  /** Simulates the disruption controller. */
  async #count(nodes: ReadonlyMap<string, TenantNode>): Promise<void> {
    const pods = await this.#pods();
    const healthy = pods.filter(({ metadata, spec }) => {
      const node = nodes.get(spec?.nodeName ?? '');
      return metadata.deletionTimestamp === undefined && node !== undefined && isNodeReady(node);
    });
    const desiredHealthy = this.#size - 1;
    const value = {
      status: {
        currentHealthy: healthy.length,
        desiredHealthy,
        expectedPods: this.#size,
        disruptionsAllowed: Math.max(0, healthy.length - desiredHealthy),
        disruptedPods: null,
        observedGeneration: 1,
      },
    };
    await this.#client
      .resource(PodDisruptionBudgets)
      .patch('web', { type: 'merge', value }, { ...IN_DEFAULT_NAMESPACE, subresource: 'status' });
  }

  async #pods(): Promise<readonly Pod[]> {
    return (await this.#client.resource(Pods).list({ ...IN_DEFAULT_NAMESPACE, labelSelector: 'app=web' })).items;
  }
}
