import { isIP } from 'node:net';
import type { Ingress } from '@fairway/kube/kinds/generated/types';
import { type BalancerPlace, placeOfBalancer } from '../l7/balancer-place.ts';
import type { Backend, Route } from '../l7/route.ts';
import { AnnotationReader, shown, type Warning } from '../load-balancers/annotation-reader.ts';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { rangesOf } from '../load-balancers/source-ranges.ts';
import type { FloatingIPWish, Timeouts } from '../load-balancers/wishes.ts';
import { INGRESS_ANNOTATION as ANNOTATION, isUnknownIngressAnnotation } from './annotation-names.ts';
import { backendOf, routesOf } from './routes.ts';
import type { TlsWishes } from './tls-traffic.ts';
import { tlsWishesOf } from './tls-wishes.ts';

/** Octavia's longest timeout: 24 days in milliseconds. */
const MAX_TIMEOUT_MS = 24 * 24 * 60 * 60 * 1000;
/** Each is a policy of the listener, which every request is held to one after the other, and each change of which takes the load balancer seconds. */
const MAX_ROUTES = 200;
/** Each has all nodes as members. */
const MAX_BACKENDS = 50;

/** What an Ingress asks of its load balancer, with all defaults applied. */
export interface IngressWishes {
  readonly place: BalancerPlace;
  /** Undefined: an internal load balancer. */
  readonly floatingIP: FloatingIPWish | undefined;
  readonly keepsFloatingIP: boolean;
  /** Empty: everybody. */
  readonly sourceRanges: readonly string[];
  readonly timeouts: Timeouts;
  /** For each request the first that matches it counts. */
  readonly routes: readonly Route[];
  readonly defaultBackend: Backend | undefined;
  /** Undefined: nothing is encrypted. */
  readonly tls: TlsWishes | undefined;
}

/** Throws ServiceRefused for what can't be done. What is only ignored is a warning. Pure. */
export function ingressWishesOf(
  ingress: Ingress,
  settings: LoadBalancerSettings,
): { readonly wishes: IngressWishes; readonly warnings: readonly Warning[] } {
  const reader = new AnnotationReader(ingress.metadata.annotations, isUnknownIngressAnnotation);
  const isInternal = reader.flag(ANNOTATION.internal) ?? true;
  const routes = routesOf(ingress, reader);
  const place = placeOfBalancer(reader, settings);
  const wishes = {
    place,
    floatingIP: floatingWish(reader, place, isInternal),
    keepsFloatingIP: reader.flag(ANNOTATION.keepFloatingIP) ?? false,
    sourceRanges: sourceRangesOf(reader),
    timeouts: timeoutsOf(reader),
    routes,
    defaultBackend: defaultBackendOf(ingress, reader),
    tls: tlsWishesOf(ingress, routes, reader),
  };
  requireBounded(wishes);
  return { wishes, warnings: reader.warnings };
}

function floatingWish(
  reader: AnnotationReader,
  { floating }: BalancerPlace,
  isInternal: boolean,
): FloatingIPWish | undefined {
  const address = reader.text(ANNOTATION.floatingIP);
  if (address !== undefined && isIP(address) !== 4) {
    throw new ServiceRefused(`annotation ${ANNOTATION.floatingIP}: "${shown(address)}" is no IPv4 address`);
  }
  if (isInternal) {
    if (address !== undefined) {
      const message = `annotation ${ANNOTATION.floatingIP} has no effect without ${ANNOTATION.internal}: "false"`;
      reader.warn('InvalidAnnotation', message);
    }
    return undefined;
  }
  if (floating !== undefined) return { ...floating, address };
  reader.warn('LoadBalancerForcedInternal', 'it has no floating IP: the cluster has no external network');
  return undefined;
}

function sourceRangesOf(reader: AnnotationReader): readonly string[] {
  const texts = reader.text(ANNOTATION.sourceRanges)?.split(',') ?? [];
  return rangesOf(texts, `annotation ${ANNOTATION.sourceRanges}`, 4);
}

/** Octavia's defaults are written too, so that an annotation that goes takes its effect along. */
function timeoutsOf(reader: AnnotationReader): Timeouts {
  const read = (name: string, otherwise: number) => reader.integer(name, { min: 0, max: MAX_TIMEOUT_MS }) ?? otherwise;
  return {
    clientData: read(ANNOTATION.timeoutClientData, 50_000),
    memberConnect: read(ANNOTATION.timeoutMemberConnect, 5_000),
    memberData: read(ANNOTATION.timeoutMemberData, 50_000),
    tcpInspect: read(ANNOTATION.timeoutTcpInspect, 0),
  };
}

function defaultBackendOf({ spec }: Ingress, reader: AnnotationReader): Backend | undefined {
  const backend = spec.defaultBackend && backendOf(spec.defaultBackend);
  if (spec.defaultBackend && backend === undefined) {
    reader.warn('BackendNotServed', 'spec.defaultBackend is not served: it is no Service, and nothing else can be one');
  }
  return backend;
}

function requireBounded({ routes, ...wishes }: IngressWishes): void {
  if (routes.length > MAX_ROUTES) {
    const message = `spec.rules: ${routes.length} paths, and one load balancer takes ${MAX_ROUTES}: make more Ingresses`;
    throw new ServiceRefused(message);
  }
  const count = backendsOf({ routes, ...wishes }).length;
  if (count <= MAX_BACKENDS) return;
  throw new ServiceRefused(
    `spec.rules: ${count} backends, and one load balancer takes ${MAX_BACKENDS}: make more Ingresses`,
  );
}

/** Each once. */
export function backendsOf({
  routes,
  defaultBackend,
}: Pick<IngressWishes, 'routes' | 'defaultBackend'>): readonly Backend[] {
  const all = [defaultBackend, ...routes.map(({ backend }) => backend)].filter((each) => each !== undefined);
  return [...new Map(all.map((backend) => [poolNameOf(backend), backend])).values()];
}

/** Within the Ingress's load balancer, as people read it. */
export function poolNameOf({ service, port }: Backend): string {
  return `pool_${service}_${port}`;
}
