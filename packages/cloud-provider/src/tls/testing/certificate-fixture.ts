import { Secrets } from '@fairway/kube/kinds/resources';
import type { LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const where = { namespace: 'default' };

/** The Secrets of a cluster, their copies in Barbican, and the certificates that Octavia serves. */
export class CertificateFixture {
  readonly #balanced: LoadBalancedFairway;

  constructor(balanced: LoadBalancedFairway) {
    this.#balanced = balanced;
  }

  get #secrets() {
    return this.#balanced.fairway.runtime.client(this.#balanced.clusterUid).resource(Secrets);
  }

  async make(name: string, data: Record<string, string>, namespace = where.namespace): Promise<void> {
    const metadata = { name, namespace };
    await this.#secrets.create({ apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/tls', data });
  }

  async change(name: string, data: Record<string, string>): Promise<void> {
    await this.#secrets.patch(name, { type: 'merge', value: { data } }, where);
  }

  async delete(name: string): Promise<void> {
    await this.#secrets.delete(name, where);
  }

  stored() {
    return Array.fromAsync(this.#balanced.fairway.process.project.client.keyManager.secrets());
  }

  async storedRefs(): Promise<readonly string[]> {
    return (await this.stored()).map((each) => each.secret_ref).sort();
  }

  /** Certificates by port of the first load balancer, the default certificate first. */
  async served(): Promise<Readonly<Record<number, readonly string[]>>> {
    const [tree] = await this.#balanced.trees();
    const refs = (tree?.listeners ?? []).map(
      ({ protocol_port: port, default_tls_container_ref: ref, sni_container_refs: sni }) =>
        [port, [ref ?? '', ...(sni ?? [])].filter((each) => each !== '')] as const,
    );
    return Object.fromEntries(refs);
  }
}
