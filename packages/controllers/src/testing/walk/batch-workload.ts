import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Pod } from '@fairway/kube/kinds/generated/types';
import { Pods } from '@fairway/kube/kinds/resources';
import { isNodeReady, type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';

const IN_DEFAULT_NAMESPACE = { namespace: 'default' };
const LABELS = { app: 'batch' };
/** Two of these pods fit on a node in the walk. */
const CPU = '800m';
export const BATCH_PODS_PER_NODE = 2;

/**
 * Pods for an autoscaled pool, and a scheduler that places them or marks them as unschedulable. Everything happens in
 * `tick`.
 */
export class BatchWorkload {
  /** The desired number of pods. */
  size = 0;
  readonly #client: KubeClient;
  readonly #pool: string;
  #createdCount = 0;

  constructor(client: KubeClient, pool: string) {
    this.#client = client;
    this.#pool = pool;
  }

  async tick(): Promise<void> {
    const nodes = new Map((await this.#nodes()).map((node) => [node.metadata.name ?? '', node]));
    const left: Pod[] = [];
    for (const pod of await this.pods()) {
      const { nodeName } = pod.spec ?? {};
      const node = nodes.get(nodeName ?? '');
      const isOver = pod.metadata.deletionTimestamp !== undefined && (node === undefined || isNodeReady(node));
      const isLost = nodeName !== undefined && node === undefined;
      if (isOver || isLost || left.length >= this.size) await this.#remove(pod);
      else left.push(pod);
    }
    const bound = left.filter(({ spec }) => spec?.nodeName !== undefined);
    const load = new Map([...nodes.keys()].map((name) => [name, bound.filter((pod) => isOn(pod, name)).length]));
    const waiting = left.filter(({ spec }) => spec?.nodeName === undefined);
    const missing = Math.max(this.size - left.length, 0);
    for (const pod of [...waiting, ...Array<undefined>(missing).fill(undefined)]) {
      const name = [...nodes].find(([key, node]) => isOpen(node) && (load.get(key) ?? 0) < BATCH_PODS_PER_NODE)?.[0];
      if (name === undefined && pod) continue;
      if (pod) await this.#remove(pod);
      await this.#create(name);
      if (name !== undefined) load.set(name, (load.get(name) ?? 0) + 1);
    }
  }

  async pods(): Promise<readonly Pod[]> {
    return (await this.#client.resource(Pods).list({ ...IN_DEFAULT_NAMESPACE, labelSelector: 'app=batch' })).items;
  }

  async #nodes(): Promise<readonly TenantNode[]> {
    const { items } = await this.#client.resource(tenantNodes).list();
    return items.filter(({ metadata }) => metadata.labels?.['fairway.dev/node-pool'] === this.#pool);
  }

  async #remove({ metadata }: Pod): Promise<void> {
    await ignoreDeleted(
      this.#client.resource(Pods).delete(metadata.name ?? '', { ...IN_DEFAULT_NAMESPACE, gracePeriodSeconds: 0 }),
    );
  }

  async #create(nodeName: string | undefined): Promise<void> {
    const name = `batch-${this.#createdCount++}`;
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'batch', uid: 'batch', controller: true },
    ];
    const containers = [{ name: 'main', image: 'batch:1', resources: { requests: { cpu: CPU } } }];
    const nodeSelector = { 'fairway.dev/node-pool': this.#pool };
    const pods = this.#client.resource(Pods);
    await pods.create({
      metadata: { name, ...IN_DEFAULT_NAMESPACE, labels: LABELS, ownerReferences },
      spec: { containers, nodeSelector, ...(nodeName !== undefined && { nodeName }) },
    });
    const status =
      nodeName === undefined
        ? { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }
        : { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await pods.patch(name, { type: 'merge', value: { status } }, { ...IN_DEFAULT_NAMESPACE, subresource: 'status' });
  }
}

function isOn({ spec }: Pod, nodeName: string): boolean {
  return spec?.nodeName === nodeName;
}

function isOpen(node: TenantNode): boolean {
  return isNodeReady(node) && node.spec?.unschedulable !== true;
}
