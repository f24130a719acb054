import { isDeepStrictEqual } from 'node:util';
import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { hasFinalizer } from '@fairway/kube/controller/finalizers';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { KubeObject, ObjectMeta, ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import type { GatewaySurroundings } from './judgement.ts';
import {
  GATEWAY_GROUP,
  type Gateway,
  type GatewayClass,
  GatewayClasses,
  Gateways,
  type HttpRoute,
  HttpRoutes,
  type ReferenceGrant,
  ReferenceGrants,
} from './kinds.ts';
import { parseGateway, parseGatewayClass, parseHttpRoute, parseReferenceGrant } from './parse.ts';
import type { ParentRef } from './schemas.ts';
import { ServedKinds, type ServedKindsOptions } from './served-kinds.ts';

/** On a Gateway while something of its load balancer may be left in the cloud. */
export const CLEANUP_FINALIZER = 'fairway.dev/gateway-load-balancer';

/** `spec.controllerName` of the GatewayClasses whose Gateways are Fairway's. */
export const CONTROLLER = 'fairway.dev/octavia';

/** The class that there is without a GatewayClass. */
const OCTAVIA = 'octavia';

const known = new WeakMap<TenantCluster, TenantGateways>();

/** What a tenant's cluster has of the Gateway API, by its caches; nothing where its owner has not installed the kinds. */
export class TenantGateways {
  readonly kinds: ServedKinds;
  readonly #tenant: TenantCluster;
  readonly #labelListeners = new Set<() => void>();
  #namespaces: Informer<KubeObject> | undefined;

  private constructor(tenant: TenantCluster, options: ServedKindsOptions) {
    this.#tenant = tenant;
    this.kinds = new ServedKinds(tenant, options);
  }

  static of(tenant: TenantCluster, options: ServedKindsOptions): TenantGateways {
    const found = known.get(tenant) ?? new TenantGateways(tenant, options);
    known.set(tenant, found);
    return found;
  }

  /** Whether all that there is of it has been listed. */
  get isReady(): boolean {
    const caches = [this.classes, this.gateways, this.routes, this.grants];
    return this.kinds.isKnown && caches.every((cache) => cache?.hasSynced ?? true);
  }

  get classes(): Informer<GatewayClass> | undefined {
    return this.#cache(GatewayClasses, parseGatewayClass);
  }

  get gateways(): Informer<Gateway> | undefined {
    return this.#cache(Gateways, parseGateway, gatewaysByUid, candidateGateways);
  }

  get routes(): Informer<HttpRoute> | undefined {
    return this.#cache(HttpRoutes, parseHttpRoute, routesByGateway, routesByService);
  }

  get grants(): Informer<ReferenceGrant> | undefined {
    return this.#cache(ReferenceGrants, parseReferenceGrant);
  }

  /** Calls `listener` when labels of namespaces change, once anybody has asked for them. */
  onLabels(listener: () => void): void {
    this.#labelListeners.add(listener);
  }

  /** Whether it needs none of the labels of namespaces, or they are known. Watched from the first listener on that chooses by them. */
  knowsNamespacesOf({ spec }: Gateway): boolean {
    if ('problem' in spec) return true;
    const isNeeded = spec.listeners.some(({ allowedRoutes }) => allowedRoutes.namespaces.from === 'Selector');
    if (!isNeeded) return true;
    this.#namespaces ??= this.#followNamespaces();
    return this.#namespaces.hasSynced;
  }

  #followNamespaces(): Informer<KubeObject> {
    const { informers, signal } = this.#tenant;
    const namespaces = informers.informer<KubeObject>(Namespaces, { metadataOnly: true, trim: labelsOnly });
    const changed = () => {
      if (namespaces.hasSynced) for (const listener of this.#labelListeners) listener();
    };
    namespaces.addHandler({
      onAdd: changed,
      onUpdate(old, now) {
        if (!isDeepStrictEqual(old.metadata.labels, now.metadata.labels)) changed();
      },
      onDelete: changed,
    });
    void namespaces.whenSynced(signal).then(changed, () => {});
    return namespaces;
  }

  #cache<T extends KubeObject>(
    type: ResourceType<T>,
    trim: (object: T) => T,
    ...indexes: readonly CacheIndex<T>[]
  ): Informer<T> | undefined {
    if (!this.kinds.has(type)) return undefined;
    const informer = this.#tenant.informers.informer(type, { trim });
    for (const { name, valuesOf } of indexes) informer.addIndex(name, valuesOf);
    return informer;
  }

  byUid(uid: string): Gateway | undefined {
    return this.gateways?.find(gatewaysByUid, uid)[0];
  }

  /** Those that Fairway serves, or may come to serve. */
  get candidates(): readonly Gateway[] {
    return this.gateways?.find(candidateGateways, 'yes') ?? [];
  }

  /** What decides what becomes of it. */
  around({ metadata }: Gateway): GatewaySurroundings {
    const services = servicesOf(this.#tenant);
    return {
      routes: this.routesOf(metadata),
      serviceOf: (namespace, name) => services.get(`${namespace}/${name}`),
      grantsOf: (namespace) => this.grants?.list(namespace) ?? [],
      labelsOf: (namespace) => this.#namespaces?.get(namespace)?.metadata.labels ?? {},
    };
  }

  /** Those that refer to it, or have done. */
  routesOf({ namespace, name }: ObjectMeta): readonly HttpRoute[] {
    return this.routes?.find(routesByGateway, `${namespace}/${name}`) ?? [];
  }

  /** Whether Fairway is to serve it. That its class is deleted does not stop what it has started. */
  isServed(gateway: Gateway): boolean {
    const { className = '' } = gateway;
    const found = this.classes?.get(className);
    if (found !== undefined) return found.controllerName === CONTROLLER;
    return className === OCTAVIA || hasFinalizer(gateway, CLEANUP_FINALIZER);
  }
}

const gatewaysByUid: CacheIndex<Gateway> = {
  name: 'uid',
  valuesOf: ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]),
};

/** Those that name a class, by the value `yes`. */
const candidateGateways: CacheIndex<Gateway> = {
  name: 'candidate',
  valuesOf: ({ className }) => (className === undefined ? [] : ['yes']),
};

/** By `namespace/name` of those that they refer to, or whose controller here has said something of them. */
const routesByGateway: CacheIndex<HttpRoute> = { name: 'gateway', valuesOf: gatewaysOfRoute };

/** `namespace/name` of the Gateways that a route refers to, or has referred to. */
export function gatewaysOfRoute({ metadata, parentRefs, parents }: HttpRoute): readonly string[] {
  const told = parents.filter(({ controllerName }) => controllerName === CONTROLLER).map(({ parentRef }) => parentRef);
  const isGateway = ({ group, kind }: ParentRef) => group === GATEWAY_GROUP && kind === 'Gateway';
  const refs = [...parentRefs, ...told].filter(isGateway);
  return [...new Set(refs.map(({ namespace, name }) => `${namespace ?? metadata.namespace}/${name}`))];
}

/** By `namespace/name` of the Services that they send to. */
export const routesByService: CacheIndex<HttpRoute> = {
  name: 'service',
  valuesOf: ({ metadata, spec }) => {
    const refs = 'problem' in spec ? [] : spec.rules.flatMap(({ backendRefs }) => backendRefs);
    return [...new Set(refs.map(({ namespace, name }) => `${namespace ?? metadata.namespace}/${name}`))];
  },
};

function labelsOnly({ metadata }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, labels } = metadata;
  return {
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels && { labels }),
    },
  };
}
