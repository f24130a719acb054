import { IN_CLUSTER_USER } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type InClusterNodePool, inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events, Namespaces } from '@fairway/kube/kinds/resources';
import { SteppingClock } from './stepping-clock.ts';
import { TEAM, TestFairway, type TestFairwayOptions } from './test-fairway.ts';
import type { ChooseApiFault } from './unreliable-api.ts';

const SECOND_MS = 1_000;

/** A cluster `demo` with one pool `general` of one node; the cluster's API server serves its NodePools. */
export class InClusterScenario implements AsyncDisposable {
  readonly clock: SteppingClock;
  readonly fairway: TestFairway;
  readonly tenant: KubeClient;
  /** Injects faults into requests to Fairway's own API and to the tenant's. */
  fault: ChooseApiFault | undefined;
  tenantFault: ChooseApiFault | undefined;
  #requests: { readonly origin: 'inside' | 'outside'; readonly request: TransportRequest }[] = [];

  private constructor(clock: SteppingClock, fairway: TestFairway, tenant: KubeClient) {
    this.clock = clock;
    this.fairway = fairway;
    this.tenant = tenant;
  }

  static async begin(options: Pick<TestFairwayOptions, 'apiFaults' | 'tenantFaults'> = {}): Promise<InClusterScenario> {
    const clock = new SteppingClock();
    const started: { scenario?: InClusterScenario } = {};
    const fairway = await TestFairway.start({
      clock,
      allowInCluster: true,
      apiFaults: (request) => started.scenario?.note('outside', request) ?? options.apiFaults?.(request),
      tenantFaults: (request) => started.scenario?.note('inside', request) ?? options.tenantFaults?.(request),
    });
    const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }));
    const scenario = new InClusterScenario(clock, fairway, fairway.runtime.client(identityOf(cluster)));
    started.scenario = scenario;
    // Events about cluster-scoped objects are in that namespace.
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' }, spec: {} };
    await scenario.tenant.resource(Namespaces).create(namespace);
    await clock.pass(2 * 60 * SECOND_MS);
    return scenario;
  }

  note(origin: 'inside' | 'outside', request: TransportRequest): ReturnType<ChooseApiFault> {
    this.#requests.push({ origin, request });
    return origin === 'inside' ? this.tenantFault?.(request) : this.fault?.(request);
  }

  /** The object in the cluster, a moment later. */
  async inner(name = 'general'): Promise<InClusterNodePool | undefined> {
    return undefinedIfNotFound(this.tenant.resource(inClusterNodePools).get(name));
  }

  async outer(name = 'general'): Promise<NodePool | undefined> {
    return undefinedIfNotFound(this.fairway.client.resource(nodePools).get(name, { namespace: TEAM }));
  }

  /** Acts as a user in the cluster. */
  async change(spec: object, name = 'general'): Promise<void> {
    await this.tenant.resource(inClusterNodePools).patch(name, { type: 'merge', value: { spec } });
  }

  async make(name: string, spec: object = {}): Promise<void> {
    const object = {
      apiVersion: 'fairway.dev/v1alpha1',
      kind: 'NodePool',
      metadata: { name },
      spec: { flavor: 'b3-8', replicas: 0, ...spec },
    };
    await this.tenant.resource(inClusterNodePools).create(object as unknown as InClusterNodePool);
  }

  async settle(seconds = 10): Promise<void> {
    await this.clock.pass(seconds * SECOND_MS);
  }

  /** The outcome of a request, and the sizes on both sides. */
  async observe(name = 'general') {
    const [inner, outer] = await Promise.all([this.inner(name), this.outer(name)]);
    const accepted = findCondition(inner?.status?.conditions, 'Accepted');
    return {
      accepted: accepted?.status,
      reason: accepted?.reason,
      inner: inner?.spec.replicas,
      outer: outer?.spec.replicas,
    };
  }

  /** Events in the cluster about its NodePools. */
  async eventMessages(): Promise<string[]> {
    const { items } = await this.tenant.resource(Events).list({ namespace: 'default' });
    const own = items.filter(({ involvedObject }) => involvedObject.kind === 'NodePool');
    return own.map(({ reason, message }) => `${reason}: ${message}`);
  }

  forgetRequests(): void {
    this.#requests = [];
  }

  /** Writes to NodePools and their definition in the cluster. */
  innerWrites(): string[] {
    return this.#of('inside').filter(
      (each) => !each.startsWith('GET') && /nodepools|fairway:node-pools|definitions$/.test(each),
    );
  }

  /** Changes requested in the cluster, as received by Fairway's API. */
  outerWrites(): string[] {
    const own = this.#requests.filter(({ request }) => request.headers?.['impersonate-user'] === IN_CLUSTER_USER);
    return own.map(({ request }) => describe(request)).filter((each) => !each.startsWith('GET'));
  }

  /** Calls to the cluster about its NodePools. */
  innerCalls(): string[] {
    return this.#of('inside').filter((each) => each.includes('nodepools'));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fairway[Symbol.asyncDispose]();
  }

  #of(origin: 'inside' | 'outside'): string[] {
    return this.#requests.filter((each) => each.origin === origin).map(({ request }) => describe(request));
  }
}

function describe({ method, path }: TransportRequest): string {
  return `${method} ${path.replace(/\?.*/, '')}`;
}
