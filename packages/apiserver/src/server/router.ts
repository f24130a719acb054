/** The parsed path and method, before the registry lookup. */
export type Route =
  | { readonly kind: 'resource'; readonly path: ResourcePath; readonly verb: string }
  | { readonly kind: 'other'; readonly path: string; readonly verb: string };

export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
}

/** Parses a path in the same way as k8s.io/apiserver/pkg/endpoints/request. */
export function routeOf(method: string, path: string, query: URLSearchParams): Route {
  const resource = resourcePathOf(path);
  if (resource === undefined) return { kind: 'other', path, verb: method.toLowerCase() };
  return { kind: 'resource', path: resource, verb: verbOf(method, resource.name, query) };
}

/** Subresources that are streams. */
const STREAMING_SUBRESOURCES: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Whether a request is long-running, by kube-apiserver's rule. */
export function isLongRunning(route: Route): boolean {
  if (route.kind !== 'resource') return false;
  return route.verb === 'watch' || STREAMING_SUBRESOURCES.has(route.path.subresource.split('/', 1)[0] ?? '');
}

function resourcePathOf(path: string): ResourcePath | undefined {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decode);
  const [root] = segments;
  if (root !== 'api' && root !== 'apis') return undefined;
  const prefixLength = root === 'api' ? 2 : 3;
  if (segments.length <= prefixLength) return undefined;
  const group = root === 'api' ? '' : (segments[1] ?? '');
  const version = segments[prefixLength - 1] ?? '';
  const rest = segments.slice(prefixLength);
  const [first = '', second = '', third] = rest;
  // In `namespaces/NAME/status` and `/finalize` the third segment is a subresource of the namespace; every other third
  // segment is a resource in the namespace.
  if (first === 'namespaces' && third !== undefined && !(rest.length === 3 && isNamespaceSubresource(group, third))) {
    const [, namespace = '', plural = '', name = '', ...subresource] = rest;
    return { group, version, namespace, plural, name, subresource: subresource.join('/') };
  }
  return { group, version, namespace: '', plural: first, name: second, subresource: rest.slice(2).join('/') };
}

function isNamespaceSubresource(group: string, name: string): boolean {
  return group === '' && (name === 'status' || name === 'finalize');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  switch (method) {
    case 'GET':
    case 'HEAD': {
      if (isTrue(query.get('watch'))) return 'watch';
      return name === '' ? 'list' : 'get';
    }
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    default:
      return method.toLowerCase();
  }
}

/** Like apimachinery's `Convert_Slice_string_To_bool`: true unless the value is false or 0, even if it is empty. */
function isTrue(parameter: string | null): boolean {
  return parameter !== null && !/^(?:false|0)$/i.test(parameter);
}
