import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import { Events, Namespaces } from '@fairway/kube/kinds/resources';
import type { Condition, KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';
import { GatewayClasses, Gateways, HttpRoutes } from '../kinds.ts';
import type { GatewayStatus, RouteParentStatus } from '../schemas.ts';
import { DEFINITIONS } from './definitions.ts';

const NAMESPACE = 'default';

/** An object as the API server returns it. */
interface StoredObject extends KubeObject {
  readonly spec?: unknown;
  readonly status?: Partial<GatewayStatus> & { readonly parents?: readonly RouteParentStatus[] };
}

const HTTP = { name: 'http', port: 80, protocol: 'HTTP' };
export const GATEWAY = { gatewayClassName: 'octavia', listeners: [HTTP] };

/** An HTTPS listener with the certificate in a Secret. */
export function https(secret: string | object, fields: object = {}) {
  const ref = typeof secret === 'string' ? { name: secret } : secret;
  return { name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [ref] }, ...fields };
}

/** HTTP, and HTTPS with the certificate in the Secret `shop`. */
export const HTTP_AND_HTTPS = { ...GATEWAY, listeners: [HTTP, https('shop')] };

/** A rule that sends requests for paths with this prefix to port 80 of Services. */
export function prefix(
  value: string,
  ...services: readonly (string | { readonly name: string; readonly weight: number })[]
) {
  const backendRefs = services.map((service) => ({
    ...(typeof service === 'string' ? { name: service } : service),
    port: 80,
  }));
  return { matches: [{ path: { type: 'PathPrefix', value } }], backendRefs };
}

export const ROUTE = {
  parentRefs: [{ name: 'shop' }],
  hostnames: ['shop.example'],
  rules: [prefix('/', 'web'), prefix('/api', 'api')],
};

/**
 * A Fairway instance with its cloud provider and a cluster that has the Gateway API kinds, nodes, and the Services
 * `web` and `api` of type NodePort.
 */
export class GatewayFairway implements AsyncDisposable {
  readonly balanced: LoadBalancedFairway;

  private constructor(balanced: LoadBalancedFairway) {
    this.balanced = balanced;
  }

  static async start(options: TestFairwayOptions = {}, definitions = DEFINITIONS): Promise<GatewayFairway> {
    const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
    const balanced = await LoadBalancedFairway.start({ ...options, cloud: { latency, ...options.cloud } });
    const fairway = new GatewayFairway(balanced);
    for (const definition of definitions) await fairway.createDefinition(definition);
    await balanced.create('web', { type: 'NodePort' }, {}, 30_080);
    await balanced.create('api', { type: 'NodePort' }, {}, 30_090);
    await fairway.pass(5_000);
    return fairway;
  }

  /** Starts with the Gateway `shop` and the route `shop`, both of which work. */
  static async startWithShop(options: TestFairwayOptions = {}): Promise<GatewayFairway> {
    const fairway = await GatewayFairway.start(options);
    await fairway.createGateway('shop');
    await fairway.createRoute('shop');
    await fairway.pass(60_000);
    return fairway;
  }

  get #tenant() {
    return this.balanced.fairway.runtime.client(this.balanced.clusterUid);
  }

  pass(ms: number): Promise<void> {
    return this.balanced.clock.pass(ms);
  }

  async createDefinition(definition: CustomResourceDefinition): Promise<void> {
    await this.#tenant.resource(CustomResourceDefinitions).create(definition);
  }

  async deleteDefinition({ plural, group }: ResourceType): Promise<void> {
    await this.#tenant.resource(CustomResourceDefinitions).delete(`${plural}.${group}`);
  }

  #resource(type: ResourceType) {
    return this.#tenant.resource<StoredObject>(type);
  }

  async create(
    type: ResourceType,
    name: string,
    spec: object,
    metadata: object = {},
    namespace = NAMESPACE,
  ): Promise<void> {
    await this.#resource(type).create({
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { name, ...(type.namespaced && { namespace }), ...metadata },
      spec,
    });
  }

  createGateway(name: string, spec: object = GATEWAY, annotations: Record<string, string> = {}): Promise<void> {
    return this.create(Gateways, name, spec, { annotations });
  }

  createRoute(name: string, spec: object = ROUTE, namespace = NAMESPACE): Promise<void> {
    return this.create(HttpRoutes, name, spec, {}, namespace);
  }

  createClass(name: string, spec: object): Promise<void> {
    return this.create(GatewayClasses, name, spec);
  }

  async createNamespace(name: string, labels: Record<string, string> = {}): Promise<void> {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels }, spec: {} };
    await this.#tenant.resource(Namespaces).create(object);
  }

  get(type: ResourceType, name: string, namespace = NAMESPACE): Promise<StoredObject> {
    return this.#resource(type).get(name, type.namespaced ? { namespace } : {});
  }

  async patch(type: ResourceType, name: string, value: object, subresource?: string): Promise<void> {
    const options = { namespace: NAMESPACE, ...(subresource !== undefined && { subresource }) };
    await this.#resource(type).patch(name, { type: 'merge', value }, options);
  }

  async delete(type: ResourceType, name: string, namespace = NAMESPACE): Promise<void> {
    await this.#resource(type).delete(name, { namespace });
  }

  async names(type: ResourceType): Promise<readonly (string | undefined)[]> {
    const { items } = await this.#resource(type).list();
    return items.map(({ metadata }) => metadata.name);
  }

  /** Conditions of a Gateway, as `type status reason`. */
  async conditions(name = 'shop'): Promise<readonly string[]> {
    return describeConditions((await this.get(Gateways, name)).status?.conditions);
  }

  /** Messages of a Gateway's conditions. */
  async messages(name = 'shop'): Promise<readonly string[]> {
    return (await this.get(Gateways, name)).status?.conditions?.map(({ message }) => message) ?? [];
  }

  /** Conditions of a Gateway's listeners, by listener name. */
  async listeners(name = 'shop'): Promise<Readonly<Record<string, readonly string[]>>> {
    const { status } = await this.get(Gateways, name);
    return Object.fromEntries(
      (status?.listeners ?? []).map((each) => [each.name, describeConditions(each.conditions)]),
    );
  }

  async addresses(name = 'shop'): Promise<readonly string[]> {
    return (await this.get(Gateways, name)).status?.addresses?.map(({ value }) => value) ?? [];
  }

  /** What a route's parents report about it. */
  async parents(name = 'shop', namespace = NAMESPACE): Promise<readonly (readonly string[])[]> {
    const { status } = await this.get(HttpRoutes, name, namespace);
    return (status?.parents ?? []).map(({ conditions }) => describeConditions(conditions));
  }

  /** Events for Gateways, as `type reason count`. */
  async events(): Promise<readonly string[]> {
    return (await this.#events()).map(({ reason, type, count }) => `${type} ${reason} ${count}`);
  }

  async warnings(): Promise<readonly (string | undefined)[]> {
    return (await this.#events()).filter(({ type }) => type === 'Warning').map(({ message }) => message);
  }

  async #events() {
    const { items } = await this.#tenant.resource(Events).list({ namespace: NAMESPACE });
    return items.filter(({ involvedObject }) => involvedObject.kind === 'Gateway');
  }

  /** The policies as `port name -> target`, in order of precedence. */
  async policies(): Promise<readonly string[]> {
    const { l7Policies, listeners, pools } = this.balanced.octavia;
    const ports = new Map((await Array.fromAsync(listeners.list())).map((each) => [each.id, each.protocol_port]));
    const names = new Map((await Array.fromAsync(pools.list())).map(({ id, name }) => [id, name]));
    const found = await Array.fromAsync(l7Policies.list());
    const portOf = (id: string) => ports.get(id) ?? 0;
    return found
      .toSorted((a, b) => portOf(a.listener_id) - portOf(b.listener_id) || a.position - b.position)
      .map(({ listener_id, name, redirect_pool_id, redirect_prefix, redirect_url }) => {
        const target = redirect_prefix ?? redirect_url ?? names.get(redirect_pool_id ?? '');
        return `${portOf(listener_id)} ${name} -> ${target}`;
      });
  }

  /** Node ports and weights of each pool's members, by pool name. */
  async members(): Promise<Readonly<Record<string, readonly string[]>>> {
    const trees = await this.balanced.trees();
    const entries = trees.flatMap(({ pools, members }) =>
      pools.map(({ name }, index) => {
        const found = members[index]?.map(({ protocol_port, weight }) => `${protocol_port}*${weight}`) ?? [];
        return [name ?? '', found.toSorted()] as const;
      }),
    );
    return Object.fromEntries(entries);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.balanced[Symbol.asyncDispose]();
  }
}

function describeConditions(conditions: readonly Condition[] = []): readonly string[] {
  return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
}
