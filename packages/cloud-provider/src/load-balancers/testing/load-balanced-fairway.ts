import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { TestFairway, type TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import type { Service, ServiceSpec } from '@fairway/kube/kinds/generated/types';
import { Namespaces, Services } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { NO_LATENCY } from '@fairway/simulator/http/latency';
import { createCloudProvider } from '../../start.ts';

/** Latencies of a cloud that boots a machine for each load balancer. */
export const LOAD_BALANCER_LATENCY: Partial<(typeof NO_LATENCY)['lifecycle']> = {
  loadBalancerCreate: 20_000,
  loadBalancerUpdate: 1_000,
  loadBalancerDelete: 5_000,
  loadBalancerFailover: 30_000,
};

/** A Fairway instance with its cloud provider and a cluster with nodes and Services. */
export class LoadBalancedFairway implements AsyncDisposable {
  readonly clock: SteppingClock;
  readonly fairway: TestFairway;
  readonly clusterUid: string;

  private constructor(clock: SteppingClock, fairway: TestFairway, clusterUid: string) {
    this.clock = clock;
    this.fairway = fairway;
    this.clusterUid = clusterUid;
  }

  static async start(options: TestFairwayOptions = {}, replicas = 2): Promise<LoadBalancedFairway> {
    const clock = new SteppingClock();
    const fairway = await TestFairway.start({ clock, runnables: (parts) => createCloudProvider(parts), ...options });
    const cluster = await clock.during(fairway.readyCluster({ replicas }));
    const balanced = new LoadBalancedFairway(clock, fairway, cluster.metadata.uid ?? '');
    await balanced.#namespace('default');
    return balanced;
  }

  get services() {
    return this.fairway.runtime.client(this.clusterUid).resource(Services);
  }

  get octavia() {
    return this.fairway.process.project.client.loadBalancing;
  }

  get network() {
    return this.fairway.process.project.client.network;
  }

  async #namespace(name: string): Promise<void> {
    const object: KubeObject & { spec: object } = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} };
    await this.fairway.runtime.client(this.clusterUid).resource(Namespaces).create(object);
  }

  /** Creates a Service of type LoadBalancer for these ports; their node ports start at `nodePort`. */
  create(
    name: string,
    spec: Partial<ServiceSpec> = {},
    annotations: Record<string, string> = {},
    nodePort = 30_080,
  ): Promise<Service> {
    const ports = (spec.ports ?? [{ port: 80 }]).map((port, index) => ({
      name: `p${index}`,
      protocol: 'TCP',
      nodePort: nodePort + index,
      ...port,
    }));
    return this.services.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default', annotations },
      spec: { type: 'LoadBalancer', clusterIP: `10.3.0.${(nodePort % 200) + 10}`, ...spec, ports },
    });
  }

  get(name: string): Promise<Service> {
    return this.services.get(name, { namespace: 'default' });
  }

  patch(name: string, value: object): Promise<Service> {
    return this.services.patch(name, { type: 'merge', value }, { namespace: 'default' });
  }

  delete(name: string): Promise<void> {
    return this.services.delete(name, { namespace: 'default' });
  }

  async exists(name: string): Promise<boolean> {
    const { items } = await this.services.list({ namespace: 'default' });
    return items.some(({ metadata }) => metadata.name === name);
  }

  /** Starts counting calls to the cloud, by service, method and route. */
  countCalls(): () => Readonly<Record<string, number>> {
    const before = this.#counts();
    return () => {
      const more = [...this.#counts()].map(([call, count]) => [call, count - (before.get(call) ?? 0)] as const);
      return Object.fromEntries(more.filter(([, count]) => count > 0));
    };
  }

  #counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { service, method, template, count } of this.fairway.cloud.calls.counts()) {
      const call = `${method} ${template.replace(/^.*\/(v2(\.\d)?(\/lbaas)?)/, '')}`;
      if (service !== 'load-balancer' && !template.includes('floatingips')) continue;
      counts.set(call, (counts.get(call) ?? 0) + count);
    }
    return counts;
  }

  /** The content of Octavia, by name. */
  async trees() {
    const found = [];
    for await (const loadBalancer of this.octavia.loadBalancers.list()) {
      const listeners = await Array.fromAsync(this.octavia.listeners.list({ loadbalancer_id: loadBalancer.id }));
      const pools = await Array.fromAsync(this.octavia.pools.list({ loadbalancer_id: loadBalancer.id }));
      const members = await Promise.all(pools.map(({ id }) => Array.fromAsync(this.octavia.pools.members(id))));
      found.push({ loadBalancer, listeners, pools, members });
    }
    return found;
  }

  floatingIps() {
    return Array.fromAsync(this.network.floatingIps.list());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fairway[Symbol.asyncDispose]();
  }
}
