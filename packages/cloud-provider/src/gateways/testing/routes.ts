import type { Service } from '@fairway/kube/kinds/generated/types';
import { type HttpRoute, HttpRoutes, type ReferenceGrant } from '../kinds.ts';
import { validateListeners } from '../listeners.ts';
import { parseHttpRoute, parseReferenceGrant } from '../parse.ts';
import type { RoutingContext } from '../routing.ts';
import { GatewaySpec } from '../schemas.ts';

/** A route to the Gateway `shop` in its namespace; all routes have the same creation time unless they specify one. */
export function aRoute(spec: object, metadata: object = {}): HttpRoute {
  return parseHttpRoute({
    kind: HttpRoutes.kind,
    metadata: {
      name: 'r',
      namespace: 'default',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { parentRefs: [{ name: 'shop', namespace: 'default' }], ...spec },
  });
}

export const backend = (name: string, fields: object = {}) => ({ backendRefs: [{ name, port: 80, ...fields }] });

const ports = (nodePort: number, appProtocol?: string) => ({
  ports: [{ port: 80, nodePort, ...(appProtocol !== undefined && { appProtocol }) }],
});

const SERVICES: Readonly<Record<string, Service['spec']>> = {
  'default/web': ports(30_080),
  'default/api': ports(30_090),
  'default/h2': ports(30_100, 'kubernetes.io/h2c'),
  'default/inner': {},
  'other/far': ports(30_110),
};

const NAMESPACES: Readonly<Record<string, Record<string, string>>> = { default: {}, other: { team: 'a' } };

export const GRANT = {
  from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: 'default' }],
  to: [{ group: '', kind: 'Service', name: 'far' }],
};

/** The Gateway `shop` with these listeners, in a cluster with some Services. */
export function aContext(listeners: readonly object[], grants: readonly object[] = []): RoutingContext {
  const granted: readonly ReferenceGrant[] = grants.map((spec) => parseReferenceGrant({ metadata: {}, spec }));
  const grantsOf = (namespace: string) => (namespace === 'other' ? granted : []);
  return {
    gateway: { name: 'shop', namespace: 'default' },
    listeners: validateListeners(GatewaySpec.parse({ listeners }), {
      namespace: 'default',
      grantsOf,
      certificateOf: () => ({ problem: 'there is no such Secret' }),
    }),
    labelsOf: (namespace) => NAMESPACES[namespace] ?? {},
    serviceOf(namespace, name) {
      const spec = SERVICES[`${namespace}/${name}`];
      return spec && { metadata: { namespace, name }, spec };
    },
    grantsOf,
  };
}
