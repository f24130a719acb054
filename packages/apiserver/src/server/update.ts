import { ApiError, conflict } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { cloneJson, jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Entry, StaleWriteError } from '../store/store.ts';
import { allErrors, conform, normalize, runHooks, schemaErrors } from './conform.ts';
import type { Core } from './core.ts';
import { decodeToConform } from './decode.ts';
import { carryOverMetadata, isSpecChanged, metadataErrors, metadataUpdateErrors } from './metadata.ts';
import { isNamespace, specFinalizers } from './namespace-rules.ts';
import { representationOf } from './negotiation.ts';
import { currentEntry, respondWithObject } from './object-response.ts';
import { keepTimes, track } from './ownership.ts';
import type { ApiResponse, ResourceRequest } from './request.ts';
import { contextOf, decide, mutate, refuse, store, validate } from './write.ts';
import { WriteAdmission } from './write-admission.ts';

export const MODIFIED_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again';
/** Normally ends after one or two rounds; the limit prevents an endless loop. */
export const MAX_ATTEMPTS = 100;

export async function update(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  return updateObject(core, request, () => decodeToConform(request));
}

/** Derives the new object from the current one. Without a resourceVersion the write is unconditional. */
export type Change = (current: Entry) => KubeObject | Promise<KubeObject>;

/** Differences between writers. */
export interface WriteOptions {
  /** Whether the object was derived from `current`: an unconditional write is then safe. */
  readonly isDerived?: boolean;
}

/** Writes like `writeObject`, and responds with the stored result. */
export async function updateObject(
  core: Core,
  request: ResourceRequest,
  change: Change,
  options?: WriteOptions,
): Promise<ApiResponse> {
  const representation = representationOf(request, 'object');
  return respondWithObject(request, 200, await writeObject(core, request, change, options), representation);
}

/**
 * The read-modify-write loop of update and patch. `change` derives the new object from the current one, and is called
 * again if another writer got there first, unless the object has a resourceVersion.
 */
export async function writeObject(
  core: Core,
  request: ResourceRequest,
  change: Change,
  { isDerived = false }: WriteOptions = {},
): Promise<Entry | KubeObject> {
  for (let attempt = 0; ; attempt++) {
    const found = currentEntry(core, request);
    const current = found instanceof Promise ? await found : found;
    const object = await change(current);
    checkPreconditions(request, object, current, isDerived);
    const isPinned = object.metadata.resourceVersion !== undefined && object.metadata.resourceVersion !== '';
    try {
      return await replace(core, request, object, current);
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      if (isPinned || attempt === MAX_ATTEMPTS)
        throw conflict(request.resource.subject(request.name), MODIFIED_MESSAGE);
      await request.nextTurn?.();
    }
  }
}

/** Throws if the UID of the object differs from the stored one: the request was meant for a deleted object. */
export function checkUid(request: ResourceRequest, object: KubeObject, current: Entry): void {
  const { resource, name } = request;
  const { uid } = object.metadata;
  const currentUid = current.object().metadata.uid;
  if (uid === undefined || uid === '' || uid === currentUid) return;
  if (request.verb === 'patch') {
    const detail = 'field is immutable';
    throw invalid(resource, name, [{ type: 'FieldValueInvalid', field: 'metadata.uid', value: uid, detail }]);
  }
  const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${currentUid}`;
  throw conflict(resource.subject(name), detail);
}

function checkPreconditions(request: ResourceRequest, object: KubeObject, current: Entry, isDerived: boolean): void {
  const { resource, name } = request;
  const { resourceVersion } = object.metadata;
  checkUid(request, object, current);
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0') {
    const { custom = false, strategy } = resource.definition;
    if (isDerived || (!custom && strategy?.allowUnconditionalUpdate !== false)) return;
    throw new ApiError(
      422,
      'Invalid',
      `${resource.kind} "${name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      {
        subject: { group: resource.group, resource: resource.kind, name },
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: 'Invalid value: 0: must be specified for an update',
            field: 'metadata.resourceVersion',
          },
        ],
      },
    );
  }
  if (resourceVersion !== String(current.revision)) throw conflict(resource.subject(name), MODIFIED_MESSAGE);
}

/** Stores the object over `current`, or removes it if it is being deleted and has no finalizers left. */
async function replace(
  core: Core,
  request: ResourceRequest,
  object: KubeObject,
  current: Entry,
): Promise<Entry | KubeObject> {
  const { resource } = request;
  const { strategy } = resource.definition;
  const old = resource.objectOf(current);
  const admission = new WriteAdmission(core, request, {
    operation: 'UPDATE',
    object,
    oldObject: old,
    conform() {
      separateStatus(request, object, old);
      normalize(core, request, object);
    },
  });
  const isMain = request.subresource !== 'status' && request.subresource !== 'finalize';
  await runHooks(core, request, object, async () => {
    separateStatus(request, object, old);
    conform(core, request, object);
    carryOverMetadata(object, old);
    object.metadata.resourceVersion = String(current.revision);
    // The writer owns the fields that it sent, not what admission and the kind changed.
    track(core, request, object, old);
    await mutate(core, admission);
    if (isMain) strategy?.prepareForUpdate?.(object, old, contextOf(request));
    else if (request.subresource === 'status') strategy?.prepareForStatusUpdate?.(object, old, contextOf(request));
    if (hasGeneration(request, object, old)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  });
  const isStatus = request.subresource === 'status';
  await runHooks(core, request, object, async () => {
    refuse(request, request.name, [
      ...allErrors(
        request,
        [...metadataErrors(object, resource), ...metadataUpdateErrors(object, old)],
        schemaErrors(core, request, object, old),
        (isStatus ? strategy?.validateStatus?.(object, old) : strategy?.validate?.(object, old)) ?? [],
      ),
    ]);
    for (const warning of strategy?.warnings?.(object) ?? []) request.warn(warning);
    await validate(core, admission);
  });

  const remove = isReleased(request, object);
  keepTimes(object, old);
  if (request.dryRun) {
    if (!remove) decide(core, admission);
    return object;
  }
  // A stored object without current defaults gets them first, because kube-apiserver compares defaulted objects.
  if (!remove && jsonEqual(object, old) && !resource.lacksDefaults(current)) {
    await core.settled();
    return current;
  }
  return store(core, request, object, { expected: current, remove, ...(!remove && { admission }) });
}

/** Keeps the main resource from writing status and the status subresource from writing anything else. */
function separateStatus({ resource, subresource }: ResourceRequest, object: KubeObject, old: KubeObject): void {
  if (!resource.definition.hasStatus) return;
  const target = object as KubeObject & Record<string, unknown>;
  const previous = old as KubeObject & Record<string, unknown>;
  if (subresource !== 'status') {
    if (previous['status'] === undefined) delete target['status'];
    else target['status'] = cloneJson(previous['status']);
    return;
  }
  for (const field of new Set([...Object.keys(target), ...Object.keys(previous)])) {
    if (field === 'status' || field === 'metadata') continue;
    if (previous[field] === undefined) delete target[field];
    else target[field] = cloneJson(previous[field]);
  }
  if (resource.definition.strategy?.statusWritesMetadata) return;
  const { resourceVersion, managedFields } = object.metadata;
  object.metadata = cloneJson(old.metadata);
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
  if (managedFields !== undefined) object.metadata.managedFields = managedFields;
}

function hasGeneration({ resource, subresource }: ResourceRequest, object: KubeObject, old: KubeObject): boolean {
  const { definition } = resource;
  if (definition.hasGeneration === false || subresource === 'status') return false;
  return isSpecChanged(object, old, definition.hasStatus === true);
}

/**
 * Whether an object that is being deleted can be removed now: it has no finalizers left, and its grace period is over.
 */
function isReleased({ resource }: ResourceRequest, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || finalizers.length > 0 || deletionGracePeriodSeconds > 0) return false;
  return !isNamespace(resource) || specFinalizers(object).length === 0;
}
