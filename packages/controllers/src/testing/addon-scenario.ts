import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { findCondition } from '@fairway/kube/controller/conditions';
import { APIServices, ConfigMaps, DaemonSets, Deployments } from '@fairway/kube/kinds/resources';
import type { Condition } from '@fairway/kube/object/meta';
import { SteppingClock } from './stepping-clock.ts';
import { TEAM, TestFairway, type TestFairwayOptions } from './test-fairway.ts';
import type { ChooseApiFault } from './unreliable-api.ts';

const MINUTE_MS = 60_000;
const KUBE_SYSTEM = { namespace: 'kube-system' };

interface ScenarioOptions {
  readonly fault?: ChooseApiFault;
  /** Creates objects in the cluster before Fairway first reads it. */
  readonly before?: (tenant: KubeClient) => Promise<unknown>;
  /** Whether API servers connect to nodes, as real ones do. */
  readonly reachesNodes?: boolean;
  readonly cloud?: TestFairwayOptions['cloud'];
  /** Whether the cloud fails to list its volume types from the start. */
  readonly isCinderUnavailable?: boolean;
}

/**
 * A cluster `demo` with one node and its own pod network, unless its spec specifies another. Its API server has no
 * controllers: `work` simulates them.
 */
export class AddonScenario implements AsyncDisposable {
  readonly clock: SteppingClock;
  readonly fairway: TestFairway;
  readonly tenant: KubeClient;
  /** Injects faults into requests to the tenant's API. */
  fault: ChooseApiFault | undefined;
  /** The API server's response for requests that it proxies to pods. */
  proxied: ReturnType<ChooseApiFault> = { kind: 'answer', status: 200 };
  #requests: TransportRequest[] = [];

  private constructor(clock: SteppingClock, fairway: TestFairway, tenant: KubeClient) {
    this.clock = clock;
    this.fairway = fairway;
    this.tenant = tenant;
  }

  static async begin(
    spec: NewCluster['spec'] = {},
    { fault, before, reachesNodes = true, cloud = {}, isCinderUnavailable = false }: ScenarioOptions = {},
  ): Promise<AddonScenario> {
    const clock = new SteppingClock();
    const isAddonRequest: ChooseApiFault = ({ path }) =>
      /kube-proxy|coredns|kube-dns|metrics|fairway-addons|canal|cilium|cinder|limits\.fairway|limit-warnings|storage\.fairway|storageclasses/.test(
        path,
      )
        ? { kind: 'breaksBefore' }
        : undefined;
    let choose: ChooseApiFault = before ? isAddonRequest : (fault ?? (() => undefined));
    const tenantFaults: ChooseApiFault = (request) => choose(request);
    const fairway = await TestFairway.start({ clock, tenantFaults, random: () => 0.5, cloud });
    if (isCinderUnavailable) {
      fairway.cloud.faults.add({
        service: 'block-storage',
        path: '/types',
        times: null,
        action: { kind: 'answer', status: 503 },
      });
    }
    fairway.runtime.reachesNodes = reachesNodes;
    const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }, { cni: { type: 'none' }, ...spec }));
    const scenario = new AddonScenario(clock, fairway, fairway.runtime.client(identityOf(cluster)));
    await before?.(scenario.tenant);
    scenario.fault = fault;
    choose = (request) => scenario.#respond(request);
    await clock.pass(6 * MINUTE_MS);
    return scenario;
  }

  async cluster(): Promise<Cluster> {
    return this.fairway.client.resource(clusters).get('demo', { namespace: TEAM });
  }

  async patch(value: object): Promise<void> {
    await this.fairway.patch(clusters, 'demo', value);
  }

  async annotate(annotations: Readonly<Record<string, string>>): Promise<void> {
    await this.patch({ metadata: { annotations } });
  }

  /** The reported state of add-ons, excluding times. */
  async addons(): Promise<Omit<AddonStatus, 'lastTransitionTime'>[]> {
    const { status } = await this.cluster();
    return (status?.addons ?? []).map((addon) => {
      const { lastTransitionTime: _time, ...others } = addon;
      return others;
    });
  }

  async addon(name: string): Promise<Omit<AddonStatus, 'lastTransitionTime'> | undefined> {
    return (await this.addons()).find((addon) => addon.name === name);
  }

  conditionOf({ status }: Cluster): Condition | undefined {
    return findCondition(status?.conditions, 'AddonsReady');
  }

  async offer(release: KubernetesRelease): Promise<void> {
    await this.fairway.patch(kubernetesReleases, release.metadata.name ?? '', { spec: release.spec });
  }

  async resize(replicas: number): Promise<void> {
    await this.fairway.patch(nodePools, 'general', { spec: { replicas } });
    await this.clock.pass(3 * MINUTE_MS);
  }

  /** Simulates the cluster's controllers: all workloads are processed, all pods run, and registered APIs respond. */
  async work(): Promise<void> {
    await this.#run();
    if (!(await this.serve('True'))) return;
    await this.clock.pass(2 * MINUTE_MS);
  }

  /** Sets the availability that the API server reports for the aggregated API, if it is registered. */
  async serve(available: 'True' | 'False'): Promise<boolean> {
    const services = this.tenant.resource(APIServices);
    const { items } = await services.list();
    const conditions = [{ type: 'Available', status: available, reason: 'Told', message: '' }];
    for (const { metadata } of items) {
      const patch = { type: 'merge' as const, value: { status: { conditions } } };
      await services.patch(metadata.name ?? '', patch, { subresource: 'status' });
    }
    return items.length > 0;
  }

  async #run(): Promise<void> {
    for (const { metadata } of (await this.tenant.resource(DaemonSets).list(KUBE_SYSTEM)).items) {
      const status = { observedGeneration: metadata.generation, ...RUNNING };
      await this.#report(DaemonSets, metadata.name, status);
    }
    for (const { metadata, spec } of (await this.tenant.resource(Deployments).list(KUBE_SYSTEM)).items) {
      const conditions = [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable', message: '' }];
      const status = { observedGeneration: metadata.generation, updatedReplicas: spec.replicas, conditions };
      await this.#report(Deployments, metadata.name, status);
    }
    await this.clock.pass(2 * MINUTE_MS);
  }

  /** Kills the process and starts another. */
  async restart(): Promise<void> {
    await this.fairway.stopProcess();
    await this.fairway.startProcess();
    await this.clock.pass(6 * MINUTE_MS);
  }

  /** The kinds that the record in the cluster lists. */
  async recordedKinds(): Promise<string[]> {
    const { metadata } = await this.tenant.resource(ConfigMaps).get('fairway-addons', KUBE_SYSTEM);
    return metadata.annotations?.['applyset.kubernetes.io/contains-group-kinds']?.split(',') ?? [];
  }

  forgetRequests(): void {
    this.#requests = [];
  }

  /** Writes to the tenant's API. */
  writes(): string[] {
    return this.#requests.filter(({ method }) => method !== 'GET').map(describe);
  }

  /** Reads of individual add-on objects from the tenant's API. */
  reads(): string[] {
    const isMatch = ({ path }: TransportRequest) =>
      /\/[a-z]+\/[^/?]*(kube-proxy|coredns|kube-dns|metrics[^/?]*|fairway-addons|[^/?]*cinder[^/?]*|storage\.fairway\.dev)$/.test(
        path,
      );
    return this.#requests.filter((request) => request.method === 'GET' && isMatch(request)).map(describe);
  }

  /** Requests that the API server should proxy to pods. */
  probes(): string[] {
    return this.#requests.filter(({ path }) => path.includes('/proxy/')).map(describe);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fairway[Symbol.asyncDispose]();
  }

  #respond(request: TransportRequest): ReturnType<ChooseApiFault> {
    this.#requests.push(request);
    const isProxyRequest = request.path.includes('/proxy/');
    return this.fault?.(request) ?? (isProxyRequest ? this.proxied : undefined);
  }

  async #report(type: typeof DaemonSets | typeof Deployments, name: string | undefined, status: object): Promise<void> {
    const patch = { type: 'merge' as const, value: { status } };
    await this.tenant
      .resource(type as typeof DaemonSets)
      .patch(name ?? '', patch, { ...KUBE_SYSTEM, subresource: 'status' });
  }
}

const RUNNING = {
  currentNumberScheduled: 1,
  desiredNumberScheduled: 1,
  updatedNumberScheduled: 1,
  numberReady: 1,
  numberMisscheduled: 0,
};

function describe({ method, path }: TransportRequest): string {
  return `${method} ${path}`;
}
