import { isIP } from 'node:net';
import type { Ingress } from '@fairway/kube/kinds/generated/types';
import { type LoadBalancerPlacement, loadBalancerPlacement } from '../l7/load-balancer-placement.ts';
import type { Backend, Route } from '../l7/route.ts';
import { AnnotationReader, type Warning } from '../load-balancers/annotation-reader.ts';
import { displayText } from '../load-balancers/display-text.ts';
import type { FloatingIPSpec, Timeouts } from '../load-balancers/load-balancer-spec.ts';
import { ServiceRefused } from '../load-balancers/service-refused.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { rangesOf } from '../load-balancers/source-ranges.ts';
import { requireNotRestricted } from '../load-balancers/unread-annotations.ts';
import { INGRESS_ANNOTATION as ANNOTATION, INGRESS_RULES } from './annotation-names.ts';
import { backendOf, routesOf } from './routes.ts';
import { tlsSpecFromIngress } from './tls-spec.ts';
import type { TlsSpec } from './tls-traffic.ts';

/** Octavia's maximum timeout: 24 days, in milliseconds. */
const MAX_TIMEOUT_MS = 24 * 24 * 60 * 60 * 1000;
/**
 * Each route is a listener policy that is evaluated in order for every request. The load balancer
 * takes seconds for each policy change.
 */
const MAX_ROUTES = 200;
/** Each backend is a pool with all nodes as members. */
const MAX_BACKENDS = 50;

const ADVICE = { internal: `${ANNOTATION.internal}: "true"`, sources: ANNOTATION.sourceRanges };

/** The load balancer spec of an Ingress, with all defaults applied. */
export interface IngressLoadBalancerSpec {
  readonly place: LoadBalancerPlacement;
  /** Undefined for an internal load balancer. */
  readonly floatingIP: FloatingIPSpec | undefined;
  readonly keepsFloatingIP: boolean;
  /** Empty allows all. */
  readonly sourceRanges: readonly string[];
  readonly timeouts: Timeouts;
  /** The first match wins. */
  readonly routes: readonly Route[];
  readonly defaultBackend: Backend | undefined;
  /** Undefined if no host uses TLS. */
  readonly tls: TlsSpec | undefined;
}

/** Throws ServiceRefused for unsupported settings; ignored settings result in warnings. Pure. */
export function specFromIngress(
  ingress: Ingress,
  settings: LoadBalancerSettings,
): { readonly balancerSpec: IngressLoadBalancerSpec; readonly warnings: readonly Warning[] } {
  const reader = new AnnotationReader(ingress.metadata.annotations, INGRESS_RULES);
  const isInternal = reader.flag(ANNOTATION.internal) ?? true;
  const routes = routesOf(ingress, reader);
  const place = loadBalancerPlacement(reader, settings);
  const balancerSpec = {
    place,
    floatingIP: floatingIPSpec(reader, place, isInternal),
    keepsFloatingIP: reader.flag(ANNOTATION.keepFloatingIP) ?? false,
    sourceRanges: sourceRangesOf(reader),
    timeouts: timeoutsOf(reader),
    routes,
    defaultBackend: defaultBackendOf(ingress, reader),
    tls: tlsSpecFromIngress(ingress, routes, reader),
  };
  requireWithinLimits(balancerSpec);
  const isDecided = isInternal || reader.text(ANNOTATION.internal) !== undefined;
  requireNotRestricted(reader.unread, { isDecided, sourceRanges: balancerSpec.sourceRanges, advice: ADVICE });
  return { balancerSpec, warnings: reader.warnings };
}

function floatingIPSpec(
  reader: AnnotationReader,
  { floatingIP }: LoadBalancerPlacement,
  isInternal: boolean,
): FloatingIPSpec | undefined {
  const address = reader.text(ANNOTATION.floatingIP);
  if (address !== undefined && isIP(address) !== 4) {
    throw new ServiceRefused(`annotation ${ANNOTATION.floatingIP}: "${displayText(address)}" is not an IPv4 address`);
  }
  if (isInternal) {
    if (address !== undefined) {
      const message = `annotation ${ANNOTATION.floatingIP} has no effect without ${ANNOTATION.internal}: "false"`;
      reader.warn('InvalidAnnotation', message);
    }
    return undefined;
  }
  if (floatingIP !== undefined) return { ...floatingIP, address };
  reader.warn('LoadBalancerForcedInternal', 'no floating IP is assigned: the cluster has no external network');
  return undefined;
}

function sourceRangesOf(reader: AnnotationReader): readonly string[] {
  const texts = reader.text(ANNOTATION.sourceRanges)?.split(',') ?? [];
  return rangesOf(texts, `annotation ${ANNOTATION.sourceRanges}`, 4);
}

/** Octavia's defaults are sent explicitly, so removing an annotation reverts its effect. */
function timeoutsOf(reader: AnnotationReader): Timeouts {
  const read = (name: string, defaultMs: number) => reader.integer(name, { min: 0, max: MAX_TIMEOUT_MS }) ?? defaultMs;
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
    reader.warn('BackendNotServed', 'spec.defaultBackend is not served: it is not a Service');
  }
  return backend;
}

function requireWithinLimits({ routes, ...balancerSpec }: IngressLoadBalancerSpec): void {
  if (routes.length > MAX_ROUTES) {
    const message = `spec.rules: ${routes.length} paths, but a load balancer can have at most ${MAX_ROUTES}: create more Ingresses`;
    throw new ServiceRefused(message);
  }
  const count = backendsOf({ routes, ...balancerSpec }).length;
  if (count <= MAX_BACKENDS) return;
  throw new ServiceRefused(
    `spec.rules: ${count} backends, but a load balancer can have at most ${MAX_BACKENDS}: create more Ingresses`,
  );
}

/** The backends, without duplicates. */
export function backendsOf({
  routes,
  defaultBackend,
}: Pick<IngressLoadBalancerSpec, 'routes' | 'defaultBackend'>): readonly Backend[] {
  const all = [defaultBackend, ...routes.map(({ backend }) => backend)].filter((each) => each !== undefined);
  return [...new Map(all.map((backend) => [poolNameOf(backend), backend])).values()];
}

/** Human-readable pool name within the Ingress's load balancer. */
export function poolNameOf({ service, port }: Backend): string {
  return `pool_${service}_${port}`;
}
