import { conflict, isApiError, methodNotAllowed } from '@fairway/kube/object/api-error';
import { cloneJson } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Entry, StaleWriteError } from '../store/store.ts';
import { runBodyHooks } from './conform.ts';
import type { Core } from './core.ts';
import { decodeBody } from './decode.ts';
import { carryOverMetadata, isSpecChanged, metadataErrors, metadataUpdateErrors } from './metadata.ts';
import { currentEntry, settledEntry } from './object-response.ts';
import { track } from './ownership.ts';
import { patchOf } from './patch.ts';
import { type ApiResponse, jsonResponse, type ResourceRequest } from './request.ts';
import type { CustomSubresource, SubresourceRequest } from './resource.ts';
import type { ServedResource } from './served-resource.ts';
import { checkUid, MAX_ATTEMPTS, MODIFIED_MESSAGE } from './update.ts';
import { decide, mutate, refuse, store, validate } from './write.ts';
import { WriteAdmission } from './write-admission.ts';

/** Handles a request to a subresource with its own behaviour. */
export async function customSubresource(
  core: Core,
  request: ResourceRequest,
  subresource: CustomSubresource,
): Promise<ApiResponse> {
  if (request.verb === 'patch' && isPatchable(request.resource, subresource)) {
    return patchSubresource(core, request, subresource);
  }
  const { verb, resource } = request;
  const isServed = (verb === 'create' || verb === 'get' || verb === 'update') && subresource[verb] !== undefined;
  if (!isServed) throw methodNotAllowed(resource.subject(), verb);
  const current = await settledEntry(core, request);
  const body =
    subresource.connect?.(request.query) ?? (verb === 'get' ? undefined : decodeBody(request, subresource.kind));
  return execute(core, request, subresource, verb, current, body);
}

/** Whether the subresource returns the whole object, so it can be patched like the object. */
export function isPatchable(resource: ServedResource, { get, update, kind }: CustomSubresource): boolean {
  return get !== undefined && update !== undefined && kind.kind === resource.kind && kind.group === resource.group;
}

async function patchSubresource(
  core: Core,
  request: ResourceRequest,
  subresource: CustomSubresource,
): Promise<ApiResponse> {
  const { request: patchRequest, change } = patchOf(core, request);
  for (let attempt = 0; ; attempt++) {
    const current = await settledEntry(core, request);
    const patched = await change(current);
    const isPinned = patched.metadata.resourceVersion !== undefined;
    try {
      return await execute(core, patchRequest, subresource, 'update', current, patched);
    } catch (error) {
      if (isPinned || attempt === MAX_ATTEMPTS || !isApiError(error, 'Conflict')) throw error;
      // Another writer got there first.
      if ((await currentEntry(core, request)).revision === current.revision) throw error;
      await request.nextTurn?.();
    }
  }
}

async function execute(
  core: Core,
  request: ResourceRequest,
  subresource: CustomSubresource,
  verb: 'create' | 'get' | 'update',
  current: Entry,
  body: KubeObject | undefined,
): Promise<ApiResponse> {
  const { resource, user, namespace, name, dryRun, query, headers } = request;
  const parent = resource.objectOf(current);
  const subresourceRequest: SubresourceRequest = {
    user,
    namespace,
    name,
    dryRun,
    query,
    headers,
    body,
    nowMs: request.nowMs,
    access: request.access,
    loopback() {
      if (request.loopback === undefined) throw new Error('this request has no transport for calling its own server');
      return request.loopback();
    },
    warn: (text) => request.warn(text),
    parent,
    replace: (object) => replaceParent(core, request, subresource, object, current),
  };
  if (body !== undefined && verb === 'update') checkUid(request, body, current);
  const handle = async () => subresource[verb]?.(subresourceRequest);
  const admitAndHandle = async (object: KubeObject) => {
    const operation = subresource.connect ? 'CONNECT' : verb === 'create' ? 'CREATE' : 'UPDATE';
    const admission = new WriteAdmission(core, request, { operation, object, oldObject: parent });
    await mutate(core, admission);
    await validate(core, admission);
    return handle();
  };
  const response = await (body === undefined
    ? handle()
    : runBodyHooks(core, request, subresource, body, () => admitAndHandle(body)));
  if (response === undefined) throw methodNotAllowed(resource.subject(), verb);
  return jsonResponse(verb === 'create' ? 201 : 200, response);
}

async function replaceParent(
  core: Core,
  request: ResourceRequest,
  subresource: CustomSubresource,
  object: KubeObject,
  current: Entry,
): Promise<KubeObject> {
  const { resource, name } = request;
  const old = resource.objectOf(current);
  const written = cloneJson(object);
  const { resourceVersion } = written.metadata;
  if (resourceVersion && resourceVersion !== String(current.revision))
    throw conflict(resource.subject(name), MODIFIED_MESSAGE);
  carryOverMetadata(written, old);
  const { hasGeneration, hasStatus = false } = resource.definition;
  if (hasGeneration !== false && subresource.hasGeneration !== false && isSpecChanged(written, old, hasStatus)) {
    written.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
  refuse(request, name, [...metadataErrors(written, resource), ...metadataUpdateErrors(written, old)]);
  track(core, request, written, old);
  const admission = new WriteAdmission(core, request, { operation: 'UPDATE', object: written, oldObject: old });
  if (request.dryRun) {
    decide(core, admission);
    return written;
  }
  try {
    return resource.copyOf(await store(core, request, written, { expected: current, admission }));
  } catch (error) {
    if (error instanceof StaleWriteError) throw conflict(resource.subject(name), MODIFIED_MESSAGE);
    throw error;
  }
}
