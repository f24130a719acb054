import { badRequest, conflict, isApiError } from '@fairway/kube/object/api-error';
import { invalid } from '@fairway/kube/object/field-error';
import { cloneJson, isJsonObject } from '@fairway/kube/object/json';
import type { Json, KubeObject } from '@fairway/kube/object/meta';
import { applyPatch } from '../patch/apply.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.ts';
import { checkDeclaredFields } from '../patch/undeclared-fields.ts';
import { checkPatched } from './body-bounds.ts';
import type { Core } from './core.ts';
import { createObject } from './create.ts';
import { checkNames, checkShape, decodeBody, unsupportedMediaType } from './decode.ts';
import { fieldValidationOf } from './field-validation.ts';
import { managerOf, trackedKindOf } from './ownership.ts';
import { parseJson } from './parse-body.ts';
import type { ApiResponse, ResourceRequest } from './request.ts';
import type { Scale } from './scale.ts';
import { type Change, updateObject } from './update.ts';

type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** PATCH of an object or its status, by content type. */
export async function patch(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  if (patchTypeOf(request) === 'apply') return apply(core, request);
  return updateObject(core, request, patchOf(core, request).change, { isDerived: true });
}

/**
 * The request's patch, of any type, as a function of the current object; also returns the request for writing the
 * result.
 */
export function patchOf(core: Core, request: ResourceRequest): { request: ResourceRequest; change: Change } {
  const type = patchTypeOf(request);
  if (type === 'apply') {
    const { applyRequest, change } = applyOf(core, request);
    return { request: applyRequest, change };
  }
  const patch = parsePatch(request);
  return {
    request,
    change(current) {
      const patched = patchedObject(core, request, type, request.resource.copyOf(current), patch);
      // A resourceVersion is a precondition only if the patch contains it: otherwise the server retries on conflicts.
      if (!hasResourceVersion(type, patch)) delete patched.metadata.resourceVersion;
      return patched;
    },
  };
}

/** The Scale with the request's patch applied. */
export function patchScale(request: ResourceRequest, scale: Scale): Scale {
  const type = patchTypeOf(request);
  const change = parsePatch(request);
  const value = scale as unknown as Json;
  const patched = type === 'json' ? applyJsonPatch(value, change) : applyMergePatch(value, change as Json);
  checkPatched(patched);
  return checkShape(patched as unknown as KubeObject);
}

function patchTypeOf({ headers, resource }: ResourceRequest): PatchType {
  const [contentType = ''] = (headers['content-type'] ?? '').split(';');
  const type = TYPES[contentType.trim().toLowerCase()];
  const { custom = false } = resource.definition;
  if (type !== undefined && !(custom && type === 'strategic')) return type;
  throw unsupportedMediaType(Object.keys(TYPES).filter((name) => !custom || TYPES[name] !== 'strategic'));
}

function parsePatch(request: ResourceRequest): unknown {
  return parseJson(request, request.body);
}

function patchedObject(
  core: Core,
  request: ResourceRequest,
  type: Exclude<PatchType, 'apply'>,
  current: KubeObject,
  change: unknown,
): KubeObject {
  const patched = applyTo(core, request, type, current, change);
  if (!isJsonObject(patched)) throw badRequest('a patch must leave an object');
  checkPatched(patched);
  const object = checkShape(cloneJson(patched) as unknown as KubeObject);
  checkNames(object, request);
  const { apiVersion, kind } = request.resource;
  for (const [field, expected] of [
    ['apiVersion', apiVersion],
    ['kind', kind],
  ] as const) {
    if (object[field] === expected) continue;
    const detail = `a patch must not change it from ${JSON.stringify(expected)}`;
    throw invalid(request.resource, request.name, [{ type: 'FieldValueInvalid', field, value: object[field], detail }]);
  }
  return object;
}

function applyTo(
  core: Core,
  { resource }: ResourceRequest,
  type: Exclude<PatchType, 'apply'>,
  current: KubeObject,
  change: unknown,
): unknown {
  const value = current as unknown as Json;
  switch (type) {
    case 'json':
      return applyJsonPatch(value, change);
    case 'merge':
      if (!isJsonObject(change)) throw badRequest('a merge patch must be an object');
      return applyMergePatch(value, change);
    case 'strategic':
      return applyStrategicMergePatch(
        { schema: resource.definition.schema, definitions: core.definitions },
        current,
        change,
      );
  }
}

function hasResourceVersion(type: PatchType, change: unknown): boolean {
  if (type === 'json') return JSON.stringify(change).includes('/metadata/resourceVersion');
  const metadata = isJsonObject(change) ? change['metadata'] : undefined;
  return isJsonObject(metadata) && typeof metadata['resourceVersion'] === 'string';
}

function applyOf(core: Core, request: ResourceRequest) {
  const { resource, query, subresource, nowMs } = request;
  // An applied configuration must contain its apiVersion and kind.
  const applied = decodeBody(request, resource, { isComplete: true });
  if (fieldValidationOf(query) === 'Strict') {
    checkDeclaredFields(applied, { ...resource.definition, definitions: core.definitions });
  }
  const applyRequest: ResourceRequest = { ...request, isApply: true };
  const options = {
    ...trackedKindOf(core, request),
    applied,
    manager: managerOf(request),
    force: query.get('force') === 'true',
    apiVersion: resource.apiVersion,
    subresource,
    nowMs,
  };
  const change: Change = (current) => {
    const merged = cloneJson(applyPatch({ ...options, live: resource.objectOf(current) }));
    if (!applied.metadata.resourceVersion) delete merged.metadata.resourceVersion;
    return merged;
  };
  return { applied, applyRequest, change, options };
}

/** Server-side apply: creates missing objects. */
async function apply(core: Core, request: ResourceRequest): Promise<ApiResponse> {
  const { resource, subresource, name } = request;
  const { applied, applyRequest, change, options } = applyOf(core, request);
  for (;;) {
    try {
      return await updateObject(core, applyRequest, change, { isDerived: true });
    } catch (error) {
      if (!isApiError(error, 'NotFound') || subresource !== '') throw error;
      if (core.store.get(resource.bucket, resource.keyOf(request.namespace, name)) !== undefined) throw error;
    }
    if (applied.metadata.uid)
      throw conflict(
        resource.subject(name),
        'uid mismatch: the provided object specified a uid, and no existing object was found',
      );
    try {
      return await createObject(core, applyRequest, cloneJson(applyPatch({ ...options, live: undefined })));
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  }
}
