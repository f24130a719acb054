import { OCTAVIA_CONTROLLER } from '@fairway/api/domain/octavia-class';
import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { hasFinalizer, isBeingDeleted } from '@fairway/kube/controller/finalizers';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ANNOTATION } from './annotation-names.ts';

/** Kubernetes' standard finalizer, on a Service while parts of its load balancer may exist in the cloud. */
export const CLEANUP_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

/** `spec.loadBalancerClass` of Services that Fairway serves; other classes belong to other controllers. */
export const LOAD_BALANCER_CLASS = OCTAVIA_CONTROLLER;

/** Whether Fairway should provide the Service's load balancer. */
export function wantsLoadBalancer(service: Service): boolean {
  const { type, loadBalancerClass = LOAD_BALANCER_CLASS } = service.spec;
  return type === 'LoadBalancer' && loadBalancerClass === LOAD_BALANCER_CLASS && !isBeingDeleted(service);
}

/** Whether the Service has or needs a Fairway load balancer. Services of another class have the same finalizer. */
export function usesLoadBalancer(service: Service): boolean {
  const { loadBalancerClass = LOAD_BALANCER_CLASS } = service.spec;
  return (
    wantsLoadBalancer(service) ||
    (hasFinalizer(service, CLEANUP_FINALIZER) && loadBalancerClass === LOAD_BALANCER_CLASS)
  );
}

/** The cached Services of a cluster; Services unrelated to load balancers are reduced to their node ports. */
export function servicesOf({ informers }: TenantCluster): Informer<Service> {
  const services = informers.informer(Services, { trim: trimService });
  for (const { name, valuesOf } of [servicesByUid, loadBalancerServices, servicesByLoadBalancer])
    services.addIndex(name, valuesOf);
  return services;
}

export const servicesByUid: CacheIndex<Service> = {
  name: 'uid',
  valuesOf: ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]),
};

/**
 * Indexes Services for which `usesLoadBalancer` is true by the ID of the load balancer that they refer to or that
 * Fairway has recorded.
 */
export const servicesByLoadBalancer: CacheIndex<Service> = {
  name: 'load balancer',
  valuesOf(service) {
    const id = service.metadata.annotations?.[ANNOTATION.loadBalancerID]?.trim();
    return id && usesLoadBalancer(service) ? [id] : [];
  },
};

/** Services for which `usesLoadBalancer` is true, under the index value `yes`. */
export const loadBalancerServices: CacheIndex<Service> = {
  name: 'balanced',
  valuesOf: (service) => (usesLoadBalancer(service) ? ['yes'] : []),
};

function trimService(service: Service): Service {
  const { apiVersion, kind, metadata, spec, status } = service;
  const { name, namespace, uid, resourceVersion } = metadata;
  const named = {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(kind !== undefined && { kind }),
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
  if (!usesLoadBalancer(service)) return { ...named, spec: nodePortsOf(service) };
  const { annotations, finalizers, generation, deletionTimestamp } = metadata;
  return {
    ...named,
    metadata: {
      ...named.metadata,
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ...(generation !== undefined && { generation }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec,
    ...(status && { status }),
  };
}

function nodePortsOf({ spec }: Service): Service['spec'] {
  const { type, ports, loadBalancerClass, externalTrafficPolicy, healthCheckNodePort } = spec;
  if (!ports?.some(({ nodePort }) => nodePort)) return {};
  return {
    ...(type !== undefined && { type }),
    ports,
    ...(loadBalancerClass !== undefined && { loadBalancerClass }),
    ...(externalTrafficPolicy !== undefined && { externalTrafficPolicy }),
    ...(healthCheckNodePort !== undefined && { healthCheckNodePort }),
  };
}
