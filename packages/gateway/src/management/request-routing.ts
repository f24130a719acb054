import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type ResourcePath, routeOf } from '@fairway/apiserver/server/router';
import { AUDIT_EVENTS } from '../audit-events/audit-events.ts';
import { type GatewaySubresource, gatewaySubresourceOf } from '../requests/gateway-subresources.ts';
import type { RequestTarget } from './request-target.ts';

/** What the gateway does with an authenticated request. */
export type RequestRouting =
  /** Forwarded unchanged; RBAC decides. */
  | { readonly to: 'api-server'; readonly isWatch: boolean }
  /** A discovery document, filtered to what is forwarded. */
  | { readonly to: 'discovery' }
  | { readonly to: GatewaySubresource; readonly namespace: string; readonly name: string; readonly verb: string }
  | { readonly to: 'auditevents'; readonly namespace: string; readonly name: string; readonly verb: string }
  | { readonly to: 'nowhere'; readonly reason: string };

/** A resource in the management cluster that tenants need in addition to Fairway's own. */
interface ForwardedResource {
  readonly groups: readonly string[];
  readonly resource: string;
  readonly verbs: readonly string[];
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const CREATE_ONLY = ['create'];

/** Resources that are forwarded in addition to the group fairway.dev; docs/operators/gateway.md explains why. */
const FORWARDED_RESOURCES: readonly ForwardedResource[] = [
  { groups: [''], resource: 'namespaces', verbs: READ },
  { groups: [''], resource: 'secrets', verbs: [...READ, ...WRITE] },
  { groups: ['', 'events.k8s.io'], resource: 'events', verbs: READ },
  { groups: ['authorization.k8s.io'], resource: 'selfsubjectaccessreviews', verbs: CREATE_ONLY },
  { groups: ['authorization.k8s.io'], resource: 'selfsubjectrulesreviews', verbs: CREATE_ONLY },
  { groups: ['authentication.k8s.io'], resource: 'selfsubjectreviews', verbs: CREATE_ONLY },
];

/** Namespaces of the management cluster itself. Their Secrets are never served to tenants, whatever RBAC allows. */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set([
  SYSTEM_NAMESPACE,
  'kube-system',
  'kube-public',
  'kube-node-lease',
]);

/**
 * kube-apiserver still accepts `/apis/GROUP/VERSION/watch/…` as a watch; the gateway would parse it as something else.
 */
const LEGACY_PREFIXES: ReadonlySet<string> = new Set(['proxy', 'watch']);

const READABLE_PATHS = /^\/(?:version|openapi\/v2|openapi\/v3(?:\/.*)?)\/?$/;
const DISCOVERY_PATHS = /^\/(?:api|apis)(?:\/[^/]+){0,2}\/?$/;

/** The destination of a request. Authorization follows, in the API server or in the handler. */
export function routeRequest(method: string, { path, query }: RequestTarget): RequestRouting {
  const route = routeOf(method, path, query);
  if (route.kind === 'resource') return routeResource(route.path, route.verb);
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && READABLE_PATHS.test(path)) return { to: 'api-server', isWatch: false };
  if (isRead && DISCOVERY_PATHS.test(path) && isDiscoveryVisible(path)) return { to: 'discovery' };
  return { to: 'nowhere', reason: `${method} ${path} is not served to tenants` };
}

/** Whether tenants may see a resource, or any resource of a group if none is given. */
export function isVisible(group: string, resource?: string): boolean {
  if (group === GROUP) return true;
  return FORWARDED_RESOURCES.some(
    (forwardedResource) =>
      forwardedResource.groups.includes(group) &&
      (resource ?? forwardedResource.resource) === forwardedResource.resource,
  );
}

/** The verbs that are forwarded for a resource outside Fairway's own group. */
export function forwardedVerbsOf(group: string, resource: string): readonly string[] {
  return (
    FORWARDED_RESOURCES.find(
      (forwardedResource) => forwardedResource.groups.includes(group) && forwardedResource.resource === resource,
    )?.verbs ?? []
  );
}

function isDiscoveryVisible(path: string): boolean {
  const [root, group, version] = path.split('/').filter((segment) => segment !== '');
  // `/api/v1` is the core group; `/api` contains no other group.
  if (root === 'api') return version === undefined;
  return group === undefined || isVisible(group);
}

function routeResource(path: ResourcePath, verb: string): RequestRouting {
  const { group, plural, name, namespace, subresource } = path;
  if (LEGACY_PREFIXES.has(plural)) return { to: 'nowhere', reason: `paths with /${plural}/ are not served to tenants` };
  if (group === GROUP) {
    const gatewaySubresource = gatewaySubresourceOf(path);
    if (gatewaySubresource !== undefined) return { to: gatewaySubresource, namespace, name, verb };
    if (plural === AUDIT_EVENTS.plural) return { to: 'auditevents', namespace, name, verb };
    return { to: 'api-server', isWatch: verb === 'watch' };
  }
  const resourceName = `${subresource === '' ? plural : `${plural}/${subresource}`}${group === '' ? '' : `.${group}`}`;
  if (subresource !== '' || !forwardedVerbsOf(group, plural).includes(verb)) {
    return { to: 'nowhere', reason: `${verb} of ${resourceName} is not served to tenants` };
  }
  if (plural === 'secrets' && (namespace === '' || SYSTEM_NAMESPACES.has(namespace))) {
    const location = namespace === '' ? 'all namespaces' : `namespace ${namespace}`;
    return { to: 'nowhere', reason: `secrets of ${location} are not served to tenants` };
  }
  return { to: 'api-server', isWatch: verb === 'watch' };
}
