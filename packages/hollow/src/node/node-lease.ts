import { formatMicroTime } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Lease, Node } from '@fairway/kube/kinds/generated/types';
import { Leases } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';

const NAMESPACE = 'kube-node-lease';

/** A node's heartbeat: one small write, based on the previous response. */
export class NodeLease {
  readonly #client: KubeClient;
  readonly #node: Node;
  readonly #durationSeconds: number;
  #held: Lease | undefined;

  constructor(client: KubeClient, node: Node, durationSeconds: number) {
    this.#client = client;
    this.#node = node;
    this.#durationSeconds = durationSeconds;
  }

  async renew(nowMs: number, signal: AbortSignal): Promise<void> {
    const leases = this.#client.resource(Leases);
    const name = this.#node.metadata.name ?? '';
    try {
      this.#held ??= await this.#getOrCreate(nowMs, signal);
      const spec = { ...this.#held.spec, ...this.#spec(nowMs) };
      this.#held = await leases.update({ ...this.#held, spec }, { signal });
    } catch (error) {
      this.#held = undefined;
      if (!isApiError(error, 'Conflict', 'NotFound')) throw error;
      const current = await this.#getOrCreate(nowMs, signal);
      this.#held = await leases.update({ ...current, spec: { ...current.spec, ...this.#spec(nowMs) } }, { signal });
    }
    // Other writers may add annotations; keeps only what is needed.
    this.#held.metadata = {
      name,
      namespace: NAMESPACE,
      ...(this.#held.metadata.resourceVersion && { resourceVersion: this.#held.metadata.resourceVersion }),
      ...(this.#held.metadata.ownerReferences && { ownerReferences: this.#held.metadata.ownerReferences }),
    };
  }

  async #getOrCreate(nowMs: number, signal: AbortSignal): Promise<Lease> {
    const leases = this.#client.resource(Leases);
    const { name = '', uid = '' } = this.#node.metadata;
    try {
      return await leases.get(name, { namespace: NAMESPACE, signal });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
      const metadata = { name, namespace: NAMESPACE, ownerReferences };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: this.#spec(nowMs) };
      return leases.create(lease, { signal });
    }
  }

  #spec(nowMs: number) {
    return {
      holderIdentity: this.#node.metadata.name ?? '',
      leaseDurationSeconds: this.#durationSeconds,
      renewTime: formatMicroTime(nowMs),
    };
  }
}
