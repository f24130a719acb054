import { jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { trackUpdate } from '../patch/managed-fields.ts';
import type { Core } from './core.ts';
import type { ResourceRequest } from './request.ts';
import { refuse } from './write.ts';

const MAX_MANAGER_LENGTH = 128;
/**
 * Maximum entries per object, as each write compares them all. Updates are merged from the eleventh on, so most
 * entries belong to appliers.
 */
const MAX_ENTRIES = 100;

/** The request's field manager, or the program name in its User-Agent. */
export function managerOf({ query, headers }: ResourceRequest): string {
  const named = query.get('fieldManager');
  if (named !== null && named !== '') return named;
  const [program = ''] = (headers['user-agent'] ?? '').split('/');
  return program.slice(0, MAX_MANAGER_LENGTH) || 'unknown';
}

/** The kind's properties that field ownership depends on. */
export function trackedKindOf(core: Core, { resource }: ResourceRequest) {
  const { schema, hasStatus = false, custom = false } = resource.definition;
  return { schema, definitions: core.definitions, hasStatus, isEmptyUnset: !custom };
}

/** Sets `metadata.managedFields` for an object that is about to be stored, unless an apply has already done so. */
export function track(core: Core, request: ResourceRequest, object: KubeObject, live: KubeObject | undefined): void {
  checkManagers(request, object);
  if (request.isApply) return;
  const managed = trackUpdate({
    ...trackedKindOf(core, request),
    live,
    updated: object,
    manager: managerOf(request),
    apiVersion: request.resource.apiVersion,
    subresource: request.subresource,
    nowMs: request.nowMs,
  });
  if (managed.length === 0) delete object.metadata.managedFields;
  else object.metadata.managedFields = [...managed];
}

/**
 * Reverts the new times in `metadata.managedFields` if nothing else differs from `live`: writing the same object again
 * is a no-op (apimachinery's `IgnoreManagedFieldsTimestampsTransformer`). The written form may still differ from the
 * stored one: 1024Mi is stored as 1Gi.
 */
export function keepTimes(object: KubeObject, live: KubeObject): void {
  const { managedFields } = object.metadata;
  const previous = live.metadata.managedFields;
  if (managedFields === undefined || previous === undefined || managedFields.length !== previous.length) return;
  const timed = managedFields.map((entry, index) => ({ ...entry, time: previous[index]?.time }));
  if (!jsonEqual(timed, previous)) return;
  const untimed = { ...object, metadata: { ...object.metadata, managedFields: previous } };
  if (jsonEqual(untimed, live)) object.metadata.managedFields = previous;
}

/** Throws 422 for an object with more field managers than can be compared on every write. */
function checkManagers(request: ResourceRequest, { metadata }: KubeObject): void {
  const count = metadata.managedFields?.length ?? 0;
  if (count <= MAX_ENTRIES) return;
  const detail = `must have at most ${MAX_ENTRIES} items: leave managedFields out, the server keeps them`;
  const field = 'metadata.managedFields';
  refuse(request, metadata.name ?? request.name, [{ type: 'FieldValueTooMany', field, value: count, detail }]);
}
