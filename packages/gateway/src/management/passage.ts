import { GROUP, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type ResourcePath, routeOf } from '@fairway/apiserver/server/router';
import { asksForKubeconfig } from '../kubeconfig/kubeconfig-path.ts';
import type { RequestTarget } from './request-target.ts';

/** What the gateway does with a request of somebody it knows. */
export type Passage =
  /** To the API server as it is, where RBAC decides. */
  | { readonly to: 'api-server'; readonly isWatch: boolean }
  /** A discovery document, shown as far as the gateway lets through. */
  | { readonly to: 'discovery' }
  | { readonly to: 'kubeconfig'; readonly namespace: string; readonly name: string; readonly verb: string }
  | { readonly to: 'nowhere'; readonly reason: string };

/** A resource of the management cluster beside Fairway's own that tenants need. */
interface PassingResource {
  readonly groups: readonly string[];
  readonly resource: string;
  readonly verbs: readonly string[];
}

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const ASK = ['create'];

/** What is let through beside the group fairway.dev; docs/operators/gateway.md tells why. */
const PASSING: readonly PassingResource[] = [
  { groups: [''], resource: 'namespaces', verbs: READ },
  { groups: [''], resource: 'secrets', verbs: [...READ, ...WRITE] },
  { groups: ['', 'events.k8s.io'], resource: 'events', verbs: READ },
  { groups: ['authorization.k8s.io'], resource: 'selfsubjectaccessreviews', verbs: ASK },
  { groups: ['authorization.k8s.io'], resource: 'selfsubjectrulesreviews', verbs: ASK },
  { groups: ['authentication.k8s.io'], resource: 'selfsubjectreviews', verbs: ASK },
];

/** Namespaces that belong to the management cluster: whatever RBAC says, their Secrets don't leave by the tenants' door. */
const INNER_NAMESPACES: ReadonlySet<string> = new Set([
  SYSTEM_NAMESPACE,
  'kube-system',
  'kube-public',
  'kube-node-lease',
]);

/** kube-apiserver takes `/apis/GROUP/VERSION/watch/…` for a watch still: what is written so would count as something else here. */
const FORMER_PREFIXES: ReadonlySet<string> = new Set(['proxy', 'watch']);

const READABLE_PATHS = /^\/(?:version|openapi\/v2|openapi\/v3(?:\/.*)?)\/?$/;
const DISCOVERY_PATHS = /^\/(?:api|apis)(?:\/[^/]+){0,2}\/?$/;

/** Where a request goes. Whoever may do it is asked later, by the API server or by what answers here. */
export function passageOf(method: string, { path, query }: RequestTarget): Passage {
  const route = routeOf(method, path, query);
  if (route.kind === 'resource') return resourcePassage(route.path, route.verb);
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && READABLE_PATHS.test(path)) return { to: 'api-server', isWatch: false };
  if (isRead && DISCOVERY_PATHS.test(path) && isDiscoveryShown(path)) return { to: 'discovery' };
  return { to: 'nowhere', reason: `${method} ${path} is not served to tenants` };
}

/** Whether tenants are shown a resource, or anything of a group where no resource is named. */
export function isShown(group: string, resource?: string): boolean {
  if (group === GROUP) return true;
  return PASSING.some(
    (passing) => passing.groups.includes(group) && (resource ?? passing.resource) === passing.resource,
  );
}

/** The verbs that are let through to a resource beside Fairway's own. */
export function passingVerbs(group: string, resource: string): readonly string[] {
  return PASSING.find((passing) => passing.groups.includes(group) && passing.resource === resource)?.verbs ?? [];
}

function isDiscoveryShown(path: string): boolean {
  const [root, group, version] = path.split('/').filter((segment) => segment !== '');
  // `/api/v1` is the group without a name; below `/api` there is nothing else.
  if (root === 'api') return version === undefined;
  return group === undefined || isShown(group);
}

function resourcePassage(path: ResourcePath, verb: string): Passage {
  const { group, plural, name, namespace, subresource } = path;
  if (FORMER_PREFIXES.has(plural)) return { to: 'nowhere', reason: `paths with /${plural}/ are not served to tenants` };
  if (group === GROUP) {
    if (asksForKubeconfig(path)) return { to: 'kubeconfig', namespace, name, verb };
    return { to: 'api-server', isWatch: verb === 'watch' };
  }
  const what = `${subresource === '' ? plural : `${plural}/${subresource}`}${group === '' ? '' : `.${group}`}`;
  if (subresource !== '' || !passingVerbs(group, plural).includes(verb)) {
    return { to: 'nowhere', reason: `${verb} of ${what} is not served to tenants` };
  }
  if (plural === 'secrets' && (namespace === '' || INNER_NAMESPACES.has(namespace))) {
    const where = namespace === '' ? 'all namespaces' : `namespace ${namespace}`;
    return { to: 'nowhere', reason: `secrets of ${where} are not served to tenants` };
  }
  return { to: 'api-server', isWatch: verb === 'watch' };
}
