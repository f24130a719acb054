import type { Failure } from './failure.ts';
import { request } from './request.ts';
import { pathOf, type Resource, type Stored } from './resources.ts';

/** Who the console is among those that own fields. */
const FIELD_MANAGER = 'fairway-console';
const MERGE = 'application/merge-patch+json';

export interface WriteOptions {
  /** Asks for the whole answer, admission's words included, and changes nothing. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** What has to be in an object to write it. */
export type Written<T extends Stored> = {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly ownerReferences?: readonly object[];
  };
} & {
  readonly [K in Exclude<keyof T, 'metadata'>]?: unknown;
};

/** Changes some fields; null takes one away. For annotations that ask for something, and other changes that nobody owns. */
export function change<T extends Stored>(
  resource: Resource<T>,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  patch: object,
  { dryRun = false, signal }: WriteOptions = {},
): Promise<T> {
  const query = queryOf({ dryRun, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' });
  const path = `${pathOf(resource, namespace, name)}?${query}`;
  return request<T>(path, { method: 'PATCH', contentType: MERGE, body: patch, signal });
}

/** Creates an object, and answers what was made of it; refused if there is one of the name. */
export function create<T extends Stored>(
  resource: Resource<T>,
  object: Written<T>,
  { dryRun = false, signal }: WriteOptions = {},
): Promise<T> {
  const { group, version, kind } = resource;
  const query = queryOf({ dryRun, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' });
  const body = { ...object, apiVersion: group === '' ? version : `${group}/${version}`, kind };
  return request<T>(`${pathOf(resource, object.metadata.namespace)}?${query}`, { method: 'POST', body, signal });
}

/** Writes the whole object. For Secrets, which members may only create and replace. */
export async function replace<T extends Stored>(resource: Resource<T>, object: Written<T>): Promise<void> {
  const { group, version, kind } = resource;
  const { namespace, name } = object.metadata;
  const body = { ...object, apiVersion: group === '' ? version : `${group}/${version}`, kind };
  const query = queryOf({ dryRun: false, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' });
  await request(`${pathOf(resource, namespace, name)}?${query}`, { method: 'PUT', body });
}

/** Deletes the object that was looked at, and none of the same name that came after it. */
export async function remove<T extends Stored>(resource: Resource<T>, { metadata }: T): Promise<void> {
  const { namespace, name, uid } = metadata;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid }, propagationPolicy: 'Background' };
  await request(pathOf(resource, namespace, name), { method: 'DELETE', body });
}

/** What the API says of each field, by its path: `spec.version`. What is about none of them is under ''. */
export function problemsByField({ causes, message }: Failure): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { field = '', message: said = '' } of causes) found.set(field, [...(found.get(field) ?? []), said]);
  if (found.size === 0) found.set('', [message]);
  return found;
}

function queryOf({
  dryRun,
  ...query
}: { readonly dryRun: boolean } & Readonly<Record<string, string | boolean>>): URLSearchParams {
  const told = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
  return new URLSearchParams([...told, ...(dryRun ? [['dryRun', 'All']] : [])]);
}
