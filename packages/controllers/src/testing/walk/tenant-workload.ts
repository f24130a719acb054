import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Namespaces, PodDisruptionBudgets, Pods } from '@fairway/kube/kinds/resources';
import { isNodeReady, type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';

const NAMESPACE = 'default';
const WHERE = { namespace: NAMESPACE };
const LABELS = { app: 'web' };

/**
 * What runs in a tenant's cluster whose control plane has no controllers: kubelets that say whether their server runs, and an application of several pods,
 * of which a budget lets one go at a time. All happens in `tick`.
 */
export class TenantWorkload {
  readonly #client: KubeClient;
  readonly #size: number;
  readonly #pool: string;
  #made = 0;

  private constructor(client: KubeClient, size: number, pool: string) {
    this.#client = client;
    this.#size = size;
    this.#pool = pool;
  }

  /** The application runs on nodes of one pool. */
  static async start(client: KubeClient, size: number, pool: string): Promise<TenantWorkload> {
    const workload = new TenantWorkload(client, size, pool);
    await client
      .resource(Namespaces)
      .create({ metadata: { name: NAMESPACE }, spec: {} })
      .catch(() => undefined);
    await client.resource(PodDisruptionBudgets).create({
      metadata: { name: 'web', ...WHERE },
      spec: { minAvailable: size - 1, selector: { matchLabels: LABELS } },
    });
    return workload;
  }

  /** `isRunning` says whether the server of this name runs. */
  async tick(isRunning: (name: string) => boolean): Promise<void> {
    const nodes = await this.#beat(isRunning);
    await this.#place(nodes);
    await this.#count(nodes);
  }

  /** Pods of the application that run on the node and have not been asked to go. */
  async runningOn(nodeName: string): Promise<number> {
    const pods = await this.#pods();
    return pods.filter(({ metadata, spec }) => spec?.nodeName === nodeName && !metadata.deletionTimestamp).length;
  }

  async #beat(isRunning: (name: string) => boolean): Promise<ReadonlyMap<string, TenantNode>> {
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
      await ignoreGone(resource.patch(name, { type: 'merge', value }, { subresource: 'status' }));
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
        await ignoreGone(pods.delete(pod.metadata.name ?? '', { ...WHERE, gracePeriodSeconds: 0 }));
      } else left.push(pod);
    }
    const staying = left.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const free = [...nodes.values()].filter((node) => this.#isOpen(node));
    for (let missing = this.#size - staying.length; missing > 0 && free.length > 0; missing--) {
      const load = ({ metadata }: TenantNode) => staying.filter(({ spec }) => spec?.nodeName === metadata.name).length;
      const [node] = free.toSorted((a, b) => load(a) - load(b));
      staying.push(await this.#run(node?.metadata.name ?? ''));
    }
  }

  #isOpen(node: TenantNode): boolean {
    const isOfPool = node.metadata.labels?.['fairway.dev/node-pool'] === this.#pool;
    return isOfPool && isNodeReady(node) && node.spec?.unschedulable !== true;
  }

  async #run(nodeName: string): Promise<Pod> {
    const name = `web-${this.#made++}`;
    const container = { name: 'web', image: 'web:1' };
    const pods = this.#client.resource(Pods);
    await pods.create({ metadata: { name, ...WHERE, labels: LABELS }, spec: { nodeName, containers: [container] } });
    const conditions = [{ type: 'Ready', status: 'True' }];
    const value = { status: { phase: 'Running', conditions } };
    return pods.patch(name, { type: 'merge', value }, { ...WHERE, subresource: 'status' });
  }

  /** As the disruption controller. */
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
      .patch('web', { type: 'merge', value }, { ...WHERE, subresource: 'status' });
  }

  async #pods(): Promise<readonly Pod[]> {
    return (await this.#client.resource(Pods).list({ ...WHERE, labelSelector: 'app=web' })).items;
  }
}
