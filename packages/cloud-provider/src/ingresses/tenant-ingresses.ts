import {
  ANNOTATED_INGRESS_CLASSES,
  INGRESS_CLASS_ANNOTATION,
  OCTAVIA_CLASS,
  OCTAVIA_CONTROLLER,
} from '@fairway/api/domain/octavia-class';
import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { hasFinalizer } from '@fairway/kube/controller/finalizers';
import type { Ingress, IngressBackend, IngressClass } from '@fairway/kube/kinds/generated/types';
import { IngressClasses, Ingresses } from '@fairway/kube/kinds/resources';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';

/** Finalizer that an Ingress has while parts of its load balancer may exist in the cloud. */
export const CLEANUP_FINALIZER = 'fairway.dev/ingress-load-balancer';

/** `spec.controller` of the IngressClasses whose Ingresses Fairway serves. */
export const CONTROLLER = OCTAVIA_CONTROLLER;

/** Name of the class; undefined if the Ingress has none, or if its annotation selects octavia-ingress-controller. */
function classOf({ metadata, spec }: Ingress): { readonly name: string | undefined; readonly isLegacy: boolean } {
  const { ingressClassName: name } = spec;
  const old = metadata.annotations?.[INGRESS_CLASS_ANNOTATION];
  return { name, isLegacy: name === undefined && old !== undefined && ANNOTATED_INGRESS_CLASSES.includes(old) };
}

/** The name of the IngressClass that determines the controller of the Ingress; undefined if none does. */
export function effectiveClass(ingress: Ingress): string | undefined {
  const { name } = classOf(ingress);
  return name === OCTAVIA_CLASS ? undefined : name;
}

/**
 * Whether Fairway should serve the Ingress. `ingressClass`: its class, if it exists; deleting the class does not stop
 * an Ingress that is already served. Pure.
 */
export function isServed(ingress: Ingress, ingressClass: Pick<IngressClass, 'spec'> | undefined): boolean {
  const { name, isLegacy } = classOf(ingress);
  if (name === undefined) return isLegacy;
  if (name === OCTAVIA_CLASS) return true;
  return ingressClass === undefined
    ? hasFinalizer(ingress, CLEANUP_FINALIZER)
    : ingressClass.spec.controller === CONTROLLER;
}

/** Whether the Ingress belongs to Fairway or may do so once its class is known. */
export function mayBeServed(ingress: Ingress): boolean {
  const { name, isLegacy } = classOf(ingress);
  return name !== undefined || isLegacy || hasFinalizer(ingress, CLEANUP_FINALIZER);
}

/** The cached Ingresses of a cluster; those that definitely do not belong to Fairway are reduced to their identity. */
export function ingressesOf({ informers }: TenantCluster): Informer<Ingress> {
  const ingresses = informers.informer(Ingresses, { trim: trimIngress });
  for (const { name, valuesOf } of [ingressesByUid, ingressesByService, candidateIngresses]) {
    ingresses.addIndex(name, valuesOf);
  }
  return ingresses;
}

/** IngressClasses are watched once an Ingress refers to one. */
export function ingressClassesOf({ informers }: TenantCluster): Informer<IngressClass> {
  return informers.informer(IngressClasses);
}

export const ingressesByUid: CacheIndex<Ingress> = {
  name: 'uid',
  valuesOf: ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]),
};

/** Ingresses for which `mayBeServed` is true, under the index value `yes`. */
export const candidateIngresses: CacheIndex<Ingress> = {
  name: 'candidate',
  valuesOf: (ingress) => (mayBeServed(ingress) ? ['yes'] : []),
};

/** Indexed by `namespace/name` of the Services that an Ingress sends requests to. */
export const ingressesByService: CacheIndex<Ingress> = {
  name: 'service',
  valuesOf: ({ metadata, spec }) => {
    const paths = spec.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
    const backends: readonly (IngressBackend | undefined)[] = [
      spec.defaultBackend,
      ...paths.map((path) => path.backend),
    ];
    const names = backends.flatMap((backend) => backend?.service?.name ?? []);
    return [...new Set(names)].map((name) => `${metadata.namespace}/${name}`);
  },
};

function trimIngress(ingress: Ingress): Ingress {
  const { metadata, spec, status } = ingress;
  const { name, namespace, uid, resourceVersion, annotations, finalizers, deletionTimestamp } = metadata;
  const identity = {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  if (!mayBeServed(ingress)) return { metadata: identity, spec: {} };
  return {
    metadata: {
      ...identity,
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec,
    ...(status && { status }),
  };
}
