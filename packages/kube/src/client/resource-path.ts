import { apiVersionOf, type ResourceType } from '../object/meta.ts';

/** The object, collection or subresource that a URL identifies. */
export interface PathTarget {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** URL path of a kind, one of its objects, or a subresource. Without a namespace it covers all namespaces. */
export function resourcePath(type: ResourceType, { namespace, name, subresource }: PathTarget = {}): string {
  const root = type.group === '' ? '/api' : '/apis';
  const scope = type.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  if (type.namespaced && name !== undefined && !namespace) {
    throw new TypeError(`${type.kind} "${name}": a namespaced object requires a namespace`);
  }
  const object = name === undefined ? '' : `/${encodeURIComponent(name)}`;
  return `${root}/${apiVersionOf(type)}${scope}/${type.plural}${object}${subresource ? `/${subresource}` : ''}`;
}

/** A query string with its question mark, without undefined parameters; '' if no parameters are left. */
export function queryString(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}
