import type { Failure } from './failure.ts';
import { request } from './request.ts';
import { pathOf, type Resource, type StoredObject } from './resources.ts';

/** The console's field manager. */
const FIELD_MANAGER = 'fairway-console';
const MERGE = 'application/merge-patch+json';

export interface WriteOptions {
  /** Returns the complete response, including admission warnings, without changing anything. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** Fields that an object must have to be written. */
export type WritableObject<T extends StoredObject> = {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly ownerReferences?: readonly object[];
  };
} & {
  readonly [K in Exclude<keyof T, 'metadata'>]?: unknown;
};

/** An object as it was read. */
export interface ObservedObject {
  readonly metadata: {
    readonly namespace?: string | undefined;
    readonly name?: string | undefined;
    readonly uid?: string | undefined;
  };
}

/** Patches fields of the object that was read, but not of a later object with the same name; null removes a field. */
export function change<T extends StoredObject>(
  resource: Pick<Resource<T>, 'group' | 'version' | 'plural' | 'isNamespaced'>,
  { metadata: { namespace, name = '', uid } }: ObservedObject,
  patch: object,
  { dryRun = false, signal }: WriteOptions = {},
): Promise<T> {
  const query = queryOf({ dryRun, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' });
  const path = `${pathOf(resource, namespace, name)}?${query}`;
  const { metadata } = patch as { readonly metadata?: object };
  const body = uid === undefined ? patch : { ...patch, metadata: { ...metadata, uid } };
  return request<T>(path, { method: 'PATCH', contentType: MERGE, body, signal });
}

/** Creates an object and returns it as stored; rejects if the name is taken. */
export function create<T extends StoredObject>(
  resource: Resource<T>,
  object: WritableObject<T>,
  { dryRun = false, signal }: WriteOptions = {},
): Promise<T> {
  const { group, version, kind } = resource;
  const query = queryOf({ dryRun, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' });
  const body = { ...object, apiVersion: group === '' ? version : `${group}/${version}`, kind };
  return request<T>(`${pathOf(resource, object.metadata.namespace)}?${query}`, { method: 'POST', body, signal });
}

/** Replaces the whole object. Used for Secrets, which project members may only create and replace. */
export async function replace<T extends StoredObject>(resource: Resource<T>, object: WritableObject<T>): Promise<void> {
  const { group, version, kind } = resource;
  const { namespace, name } = object.metadata;
  const body = { ...object, apiVersion: group === '' ? version : `${group}/${version}`, kind };
  const query = queryOf({ dryRun: false, fieldManager: FIELD_MANAGER, fieldValidation: 'Strict' });
  await request(`${pathOf(resource, namespace, name)}?${query}`, { method: 'PUT', body });
}

/** Deletes the object that was read, but not a later object with the same name. */
export async function remove<T extends StoredObject>(resource: Resource<T>, { metadata }: T): Promise<void> {
  const { namespace, name, uid } = metadata;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid }, propagationPolicy: 'Background' };
  await request(pathOf(resource, namespace, name), { method: 'DELETE', body });
}

/** The API's messages by field path, such as `spec.version`; messages without a field are under ''. */
export function problemsByField({ causes, message }: Failure): ReadonlyMap<string, readonly string[]> {
  const problems = new Map<string, string[]>();
  for (const { field = '', message: fieldMessage = '' } of causes)
    problems.set(field, [...(problems.get(field) ?? []), fieldMessage]);
  if (problems.size === 0) problems.set('', [message]);
  return problems;
}

function queryOf({
  dryRun,
  ...query
}: { readonly dryRun: boolean } & Readonly<Record<string, string | boolean>>): URLSearchParams {
  const params = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
  return new URLSearchParams([...params, ...(dryRun ? [['dryRun', 'All']] : [])]);
}
