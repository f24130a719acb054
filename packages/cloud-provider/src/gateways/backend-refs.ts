import type { Service } from '@fairway/kube/kinds/generated/types';
import { BACKEND_HINT, placeOf } from '../l7/backends.ts';
import { isPermitted } from './grants.ts';
import type { ReferenceGrant } from './kinds.ts';
import type { BackendRef } from './schemas.ts';
import type { Verdict } from './verdict.ts';

/** A Service's port on the nodes, and its share of the requests. */
export interface WeightedBackend {
  readonly namespace: string;
  readonly service: string;
  readonly port: number;
  readonly nodePort: number;
  readonly weight: number;
}

export interface BackendContext {
  /** Of the route. */
  readonly namespace: string;
  readonly serviceOf: (namespace: string, name: string) => Service | undefined;
  /** Of a namespace. */
  readonly grantsOf: (namespace: string) => readonly ReferenceGrant[];
}

export interface ResolvedBackends {
  /** Each once; those without a share are left out. */
  readonly backends: readonly WeightedBackend[];
  readonly problems: readonly Verdict[];
}

/** What a load balancer would send to members in clear text, and they would not understand. */
const OTHER_PROTOCOLS: ReadonlySet<string> = new Set(['kubernetes.io/h2c', 'https', 'grpc', 'h2c']);

/** Pure; `backend-refs.test.ts` has the rules as tables. https://gateway-api.sigs.k8s.io/reference/spec/#httpbackendref */
export function resolveBackends(refs: readonly BackendRef[], context: BackendContext): ResolvedBackends {
  const backends = new Map<string, WeightedBackend>();
  const problems: Verdict[] = [];
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

function resolve(ref: BackendRef, context: BackendContext): WeightedBackend | Verdict {
  const { group, kind, name, port, weight } = ref;
  if (group !== '' || kind !== 'Service') {
    return {
      reason: 'InvalidKind',
      message: `backend ${name} is a ${kind.slice(0, 63)}, and only a Service can be one`,
    };
  }
  const namespace = ref.namespace ?? context.namespace;
  const reference = { fromKind: 'HTTPRoute', fromNamespace: context.namespace, toKind: 'Service' } as const;
  if (!isPermitted({ ...reference, toNamespace: namespace, toName: name }, context.grantsOf)) {
    const message = `no ReferenceGrant of namespace ${namespace} lets HTTPRoutes of namespace ${context.namespace} refer to Service ${name}`;
    return { reason: 'RefNotPermitted', message };
  }
  const service = context.serviceOf(namespace, name);
  if (service === undefined) {
    return { reason: 'BackendNotFound', message: `there is no Service ${namespace}/${name}` };
  }
  if (port === undefined) return { reason: 'BackendNotFound', message: `backend ${name} names no port of the Service` };
  // Of a Service that is on no node the cache holds no ports.
  const known = service.spec.ports?.find((each) => each.port === port);
  if (known === undefined && service.spec.ports !== undefined) {
    return { reason: 'BackendNotFound', message: `Service ${namespace}/${name} has no port ${port}` };
  }
  const appProtocol = known?.appProtocol;
  if (appProtocol !== undefined && OTHER_PROTOCOLS.has(appProtocol.toLowerCase())) {
    const message = `port ${port} of Service ${namespace}/${name} is for ${appProtocol}, and requests are sent by HTTP/1.1 in clear text`;
    return { reason: 'UnsupportedProtocol', message };
  }
  const place = placeOf({ service: name, port }, service);
  if ('problem' in place) return { reason: 'BackendNotOnNodes', message: `${place.problem}; ${BACKEND_HINT}` };
  return { namespace, service: name, port, nodePort: place.nodePort, weight };
}
