import type { OutboundPolicy } from '@fairway/apiserver/outbound/outbound-policy';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import type { Store } from '@fairway/apiserver/store/store';
import { type Clock, systemClock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { Informer } from '@fairway/kube/client/informer';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { createServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import { createHollowControlPlane, type HollowControlPlane } from '../control-plane/hollow-control-plane.ts';
import { FakeNodes, type FakeNodesOptions } from './fake-nodes.ts';

// A whole minute: a test always covers the same number of scheduled times.
const startMs = Math.floor(Date.now() / 60_000) * 60_000;
// Generating keys is slow: all test clusters share them.
const ca = await createCertificateAuthority({
  commonName: 'kubernetes',
  clock: new FakeClock(startMs),
  validityMs: 24 * 3_600_000,
});
const serviceAccountKeys = await createServiceAccountKeys();

export interface TestClusterOptions extends FakeNodesOptions {
  readonly store?: Store;
  /** Uses the real clock, for real clients; `clock` then has no effect. */
  readonly realTime?: boolean;
  /** Names of nodes; three by default. */
  readonly nodes?: readonly string[];
  /** Nodes that already exist in the store. */
  readonly knownNodes?: readonly string[];
  readonly random?: () => number;
  /** Addresses that the API server may connect to; loopback by default. */
  readonly outbound?: OutboundPolicy;
}

/** A hollow cluster with fake nodes on a fake clock. */
export class TestCluster implements AsyncDisposable {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly client: KubeClient;
  readonly nodes: FakeNodes;
  readonly controlPlane: HollowControlPlane;
  readonly ca = ca;

  private constructor(options: TestClusterOptions) {
    this.store = options.store ?? new MemoryStore();
    // Clients check certificates and tokens against the real time.
    this.clock = new FakeClock(startMs);
    const clock: Clock = options.realTime ? systemClock : this.clock;
    this.controlPlane = createHollowControlPlane({
      store: this.store,
      clock,
      random: options.random ?? Math.random,
      log: silentLogger,
      clusterName: 'test',
      version: '1.34.2',
      podCidr: '10.2.0.0/16',
      serviceCidr: '10.3.0.0/16',
      endpoint: { host: '127.0.0.1', port: 6443 },
      outbound: options.outbound ?? (() => undefined),
      pki: { ca, caBundle: ca.certificatePem, serviceAccountKeys },
    });
    const transport = this.controlPlane.server.transport({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    });
    this.client = new KubeClient(transport, { clock });
    this.nodes = new FakeNodes(this.client, clock, options);
  }

  static async start(options: TestClusterOptions = {}): Promise<TestCluster> {
    const cluster = new TestCluster(options);
    await cluster.controlPlane.start();
    cluster.nodes.resume(options.knownNodes ?? []);
    for (const name of options.nodes ?? ['node-a', 'node-b', 'node-c']) await cluster.nodes.add(name);
    return cluster;
  }

  /** Objects in one namespace. */
  async list<T extends KubeObject>(type: ResourceType<T>, namespace = 'default'): Promise<T[]> {
    const { items } = await this.client.resource(type).list(type.namespaced ? { namespace } : {});
    return items;
  }

  /** Calls back with all objects of a kind after each change, until the returned function is called. */
  observe<T extends KubeObject>(type: ResourceType<T>, callback: (objects: readonly T[]) => void): () => void {
    const stop = new AbortController();
    const informer = new Informer(this.client.resource(type));
    const onChange = () => callback(informer.list());
    informer.addHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
    informer.start(stop.signal);
    return () => stop.abort();
  }

  /** Advances the clock while live nodes renew their Leases. */
  async advance(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 10) {
      await this.clock.advance(Math.min(left, 10) * 1000);
      await this.nodes.heartbeats();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.nodes.stop();
    await this.controlPlane.stop();
  }
}
