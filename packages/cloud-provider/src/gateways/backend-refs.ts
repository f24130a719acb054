import type { Service } from '@fairway/kube/kinds/generated/types';
import { BACKEND_ADVICE, nodePortOf } from '../l7/backends.ts';
import type { ReasonAndMessage } from './condition-reason.ts';
import { isPermitted } from './grants.ts';
import type { ReferenceGrant } from './kinds.ts';
import type { BackendRef } from './schemas.ts';

/** A Service's node port and its share of the requests. */
export interface WeightedBackend {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly nodePort: number;
  readonly weight: number;
}

export interface BackendContext {
  /** Namespace of the route. */
  readonly namespace: string;
  readonly serviceOf: (namespace: string, name: string) => Service | undefined;
  /** Returns the grants of a namespace. */
  readonly grantsOf: (namespace: string) => readonly ReferenceGrant[];
}

export interface ResolvedBackends {
  /** Without duplicates or backends whose weight is 0. */
  readonly backends: readonly WeightedBackend[];
  readonly problems: readonly ReasonAndMessage[];
}

/**
 * Application protocols that members would expect but never receive, because the load balancer sends unencrypted
 * HTTP/1.1.
 */
const UNSUPPORTED_PROTOCOLS: ReadonlySet<string> = new Set(['kubernetes.io/h2c', 'https', 'grpc', 'h2c']);

/**
 * Resolves the backends of a rule. Pure; `routing.test.ts` tests the rules in tables.
 * https://gateway-api.sigs.k8s.io/reference/spec/#httpbackendref
 */
export function resolveBackends(refs: readonly BackendRef[], context: BackendContext): ResolvedBackends {
  const backends = new Map<string, WeightedBackend>();
  const problems: ReasonAndMessage[] = [];
  for (const ref of refs) {
    const resolved = resolve(ref, context);
    if ('reason' in resolved) {
      problems.push(resolved);
      continue;
    }
    if (resolved.weight === 0) continue;
    const key = keyOf(resolved);
    const weight = (backends.get(key)?.weight ?? 0) + resolved.weight;
    backends.set(key, { ...resolved, weight });
  }
  return { backends: [...backends.values()], problems };
}

export function keyOf({ namespace, service, port }: WeightedBackend): string {
  return `${namespace}/${service}:${port}`;
}

function resolve(ref: BackendRef, context: BackendContext): WeightedBackend | ReasonAndMessage {
  const { group, kind, name, port, weight } = ref;
  if (group !== '' || kind !== 'Service') {
    return {
      reason: 'InvalidKind',
      message: `backend ${name} is a ${kind.slice(0, 63)}, but only Services are supported`,
    };
  }
  const namespace = ref.namespace ?? context.namespace;
  const reference = { fromKind: 'HTTPRoute', fromNamespace: context.namespace, toKind: 'Service' } as const;
  if (!isPermitted({ ...reference, toNamespace: namespace, toName: name }, context.grantsOf)) {
    const message = `no ReferenceGrant in namespace ${namespace} allows HTTPRoutes in namespace ${context.namespace} to refer to Service ${name}`;
    return { reason: 'RefNotPermitted', message };
  }
  const service = context.serviceOf(namespace, name);
  if (service === undefined) {
    return { reason: 'BackendNotFound', message: `there is no Service ${namespace}/${name}` };
  }
  if (port === undefined)
    return { reason: 'BackendNotFound', message: `backend ${name} specifies no port of the Service` };
  // The cache does not contain the ports of a Service without node ports.
  const known = service.spec.ports?.find((each) => each.port === port);
  if (known === undefined && service.spec.ports !== undefined) {
    return { reason: 'BackendNotFound', message: `Service ${namespace}/${name} has no port ${port}` };
  }
  const appProtocol = known?.appProtocol;
  if (appProtocol !== undefined && UNSUPPORTED_PROTOCOLS.has(appProtocol.toLowerCase())) {
    const message = `port ${port} of Service ${namespace}/${name} uses ${appProtocol}, but requests are sent as unencrypted HTTP/1.1`;
    return { reason: 'UnsupportedProtocol', message };
  }
  const place = nodePortOf({ service: name, port }, service);
  if ('problem' in place) return { reason: 'BackendNotOnNodes', message: `${place.problem}; ${BACKEND_ADVICE}` };
  return { namespace, service: name, port, nodePort: place.nodePort, weight };
}
