import { isDeepStrictEqual } from 'node:util';
import { OCTAVIA_CLASS, OCTAVIA_CONTROLLER } from '@fairway/api/domain/octavia-class';
import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { hasFinalizer } from '@fairway/kube/controller/finalizers';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { KubeObject, ObjectMeta, ResourceType } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import type { GatewayContextObjects } from './gateway-validation.ts';
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

/** Finalizer that a Gateway has while parts of its load balancer may exist in the cloud. */
export const CLEANUP_FINALIZER = 'fairway.dev/gateway-load-balancer';

/** `spec.controllerName` of the GatewayClasses whose Gateways Fairway serves. */
export const CONTROLLER = OCTAVIA_CONTROLLER;

const known = new WeakMap<TenantCluster, TenantGateways>();

/** The cached Gateway API objects of a tenant's cluster; empty if the kinds are not installed. */
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

  /** Whether everything available has been listed. */
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

  /** Calls `listener` when namespace labels change. They are watched once they are needed. */
  onLabels(listener: () => void): void {
    this.#labelListeners.add(listener);
  }

  /** Whether namespace labels are known or not needed. They are watched once a listener uses them in a selector. */
  hasNamespacesFor({ spec }: Gateway): boolean {
    if ('problem' in spec) return true;
    const isNeeded = spec.listeners.some(({ allowedRoutes }) => allowedRoutes.namespaces.from === 'Selector');
    if (!isNeeded) return true;
    this.#namespaces ??= this.#watchNamespaces();
    return this.#namespaces.hasSynced;
  }

  #watchNamespaces(): Informer<KubeObject> {
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

  /** Gateways that Fairway serves or may serve later. */
  get candidates(): readonly Gateway[] {
    return this.gateways?.find(candidateGateways, 'yes') ?? [];
  }

  /** The objects that a Gateway depends on. */
  relatedObjects({ metadata }: Gateway): GatewayContextObjects {
    const services = servicesOf(this.#tenant);
    return {
      routes: this.routesOf(metadata),
      serviceOf: (namespace, name) => services.get(`${namespace}/${name}`),
      grantsOf: (namespace) => this.grants?.list(namespace) ?? [],
      labelsOf: (namespace) => this.#namespaces?.get(namespace)?.metadata.labels ?? {},
    };
  }

  /** Routes that refer to the Gateway now or did so before. */
  routesOf({ namespace, name }: ObjectMeta): readonly HttpRoute[] {
    return this.routes?.find(routesByGateway, `${namespace}/${name}`) ?? [];
  }

  /** Whether Fairway should serve the Gateway. Deleting its class does not stop a Gateway that is already served. */
  isServed(gateway: Gateway): boolean {
    const { className = '' } = gateway;
    const found = this.classes?.get(className);
    if (found !== undefined) return found.controllerName === CONTROLLER;
    return className === OCTAVIA_CLASS || hasFinalizer(gateway, CLEANUP_FINALIZER);
  }
}

const gatewaysByUid: CacheIndex<Gateway> = {
  name: 'uid',
  valuesOf: ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]),
};

/** Gateways that have a class, under the index value `yes`. */
const candidateGateways: CacheIndex<Gateway> = {
  name: 'candidate',
  valuesOf: ({ className }) => (className === undefined ? [] : ['yes']),
};

/**
 * Indexed by `namespace/name` of the parents that a route refers to, or for which this controller has written a status.
 */
const routesByGateway: CacheIndex<HttpRoute> = { name: 'gateway', valuesOf: gatewaysOfRoute };

/** `namespace/name` of the Gateways that a route refers to, or has referred to. */
export function gatewaysOfRoute({ metadata, parentRefs, parents }: HttpRoute): readonly string[] {
  const ownParents = parents
    .filter(({ controllerName }) => controllerName === CONTROLLER)
    .map(({ parentRef }) => parentRef);
  const isGateway = ({ group, kind }: ParentRef) => group === GATEWAY_GROUP && kind === 'Gateway';
  const refs = [...parentRefs, ...ownParents].filter(isGateway);
  return [...new Set(refs.map(({ namespace, name }) => `${namespace ?? metadata.namespace}/${name}`))];
}

/** Indexed by `namespace/name` of the Services that a route sends requests to. */
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
