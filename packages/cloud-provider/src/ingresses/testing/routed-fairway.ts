import type { TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import type { HTTPIngressPath, Ingress, IngressSpec } from '@fairway/kube/kinds/generated/types';
import { Events, IngressClasses, Ingresses } from '@fairway/kube/kinds/resources';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const IN_DEFAULT_NAMESPACE = { namespace: 'default' };

/** A prefix path that leads to port 80 of a Service. */
export function prefix(path: string, name: string): HTTPIngressPath {
  return { path, pathType: 'Prefix', backend: { service: { name, port: { number: 80 } } } };
}

/** Routes to the Services `web` and `api`. */
export const SPEC: IngressSpec = {
  ingressClassName: 'octavia',
  rules: [{ host: 'shop.example', http: { paths: [prefix('/', 'web'), prefix('/api', 'api')] } }],
};

export const EXTERNAL_ANNOTATIONS = { 'octavia.ingress.kubernetes.io/internal': 'false' };

/**
 * A Fairway instance with its cloud provider and a cluster with nodes, the Services `web` and `api` of type NodePort,
 * and Ingresses.
 */
export class RoutedFairway implements AsyncDisposable {
  readonly balanced: LoadBalancedFairway;

  private constructor(balanced: LoadBalancedFairway) {
    this.balanced = balanced;
  }

  static async start(options: TestFairwayOptions = {}): Promise<RoutedFairway> {
    const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
    const balanced = await LoadBalancedFairway.start({ ...options, cloud: { latency, ...options.cloud } });
    await balanced.create('web', { type: 'NodePort' }, {}, 30_080);
    await balanced.create('api', { type: 'NodePort' }, {}, 30_090);
    return new RoutedFairway(balanced);
  }

  /** Starts with the Ingress `shop`, which works. */
  static async startWithShop(options: TestFairwayOptions = {}, spec = SPEC): Promise<RoutedFairway> {
    const fairway = await RoutedFairway.start(options);
    await fairway.create('shop', spec);
    await fairway.pass(60_000);
    return fairway;
  }

  get #tenant() {
    return this.balanced.fairway.runtime.client(this.balanced.clusterUid);
  }

  pass(ms: number): Promise<void> {
    return this.balanced.clock.pass(ms);
  }

  create(
    name: string,
    spec: IngressSpec = SPEC,
    annotations: Record<string, string> = EXTERNAL_ANNOTATIONS,
  ): Promise<Ingress> {
    const apiVersion = 'networking.k8s.io/v1';
    return this.#tenant
      .resource(Ingresses)
      .create({ apiVersion, kind: 'Ingress', metadata: { name, ...IN_DEFAULT_NAMESPACE, annotations }, spec });
  }

  async createClass(name: string, controller: string): Promise<void> {
    const apiVersion = 'networking.k8s.io/v1';
    await this.#tenant
      .resource(IngressClasses)
      .create({ apiVersion, kind: 'IngressClass', metadata: { name }, spec: { controller } });
  }

  get(name: string): Promise<Ingress> {
    return this.#tenant.resource(Ingresses).get(name, IN_DEFAULT_NAMESPACE);
  }

  patch(name: string, value: object): Promise<Ingress> {
    return this.#tenant.resource(Ingresses).patch(name, { type: 'merge', value }, IN_DEFAULT_NAMESPACE);
  }

  delete(name: string): Promise<void> {
    return this.#tenant.resource(Ingresses).delete(name, IN_DEFAULT_NAMESPACE);
  }

  async names(): Promise<readonly (string | undefined)[]> {
    const { items } = await this.#tenant.resource(Ingresses).list(IN_DEFAULT_NAMESPACE);
    return items.map(({ metadata }) => metadata.name);
  }

  /** Events for Ingresses, as `type reason count`. */
  async events(): Promise<readonly string[]> {
    return (await this.#events()).map(({ reason, type, count }) => `${type} ${reason} ${count}`);
  }

  async warnings(): Promise<readonly (string | undefined)[]> {
    return (await this.#events()).filter(({ type }) => type === 'Warning').map(({ message }) => message);
  }

  async #events() {
    const { items } = await this.#tenant.resource(Events).list(IN_DEFAULT_NAMESPACE);
    return items.filter(({ involvedObject }) => involvedObject.kind === 'Ingress');
  }

  /** The policies as `name -> pool`, in order of precedence. */
  async policies(): Promise<readonly string[]> {
    const { l7Policies, pools } = this.balanced.octavia;
    const names = new Map((await Array.fromAsync(pools.list())).map(({ id, name }) => [id, name]));
    const found = await Array.fromAsync(l7Policies.list());
    return found
      .toSorted((a, b) => a.position - b.position)
      .map(({ name, redirect_pool_id }) => `${name} -> ${names.get(redirect_pool_id ?? '')}`);
  }

  /** Node ports of each pool's members, by pool name. Requires exactly one load balancer. */
  async memberPorts(): Promise<Readonly<Record<string, readonly number[]>>> {
    const [tree] = await this.balanced.trees();
    const entries = tree?.pools.map(({ name }, index) => {
      const ports = tree.members[index]?.map(({ protocol_port }) => protocol_port) ?? [];
      return [name ?? '', ports] as const;
    });
    return Object.fromEntries(entries ?? []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.balanced[Symbol.asyncDispose]();
  }
}
