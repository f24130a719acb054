import { conflict, methodNotAllowed } from '@fairway/kube/object/api-error';
import { cloneJson } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Entry, StaleWriteError } from '../store/store.ts';
import { currentEntry } from './answer.ts';
import type { Core } from './core.ts';
import { decodeBody } from './decode.ts';
import { carryMetadata, isSpecChanged } from './metadata.ts';
import { track } from './ownership.ts';
import { type Answer, jsonAnswer, type ResourceRequest } from './request.ts';
import type { CustomSubresource } from './resource.ts';
import { MODIFIED } from './update.ts';
import { mutate, store, validate } from './write.ts';
import { WriteAdmission } from './write-admission.ts';

/** Answers a request to a subresource with a behaviour of its own. */
export async function customSubresource(
  core: Core,
  request: ResourceRequest,
  subresource: CustomSubresource,
): Promise<Answer> {
  const { verb, resource, user, namespace, name, dryRun, query } = request;
  const handler =
    verb === 'create' || verb === 'get' || verb === 'update' ? subresource[verb]?.bind(subresource) : undefined;
  if (handler === undefined) throw methodNotAllowed(resource.subject(), verb);
  await core.settled();
  const found = currentEntry(core, request);
  const current = found instanceof Promise ? await found : found;
  const parent = resource.objectOf(current);
  const { connect } = subresource;
  const body = connect?.(query) ?? (verb === 'get' ? undefined : decodeBody(request, subresource.kind));
  if (body !== undefined) {
    const operation = connect ? 'CONNECT' : verb === 'create' ? 'CREATE' : 'UPDATE';
    const admission = new WriteAdmission(core, request, { operation, object: body, oldObject: parent });
    await mutate(core, admission);
    await validate(core, admission);
  }
  const answer = await handler({
    user,
    namespace,
    name,
    dryRun,
    query,
    body,
    nowMs: request.nowMs,
    access: request.access,
    loopback() {
      if (request.loopback === undefined) throw new Error('this request has no way back to its server');
      return request.loopback();
    },
    warn: (text) => request.warn(text),
    parent,
    replace: (object) => replaceParent(core, request, object, current),
  });
  return jsonAnswer(verb === 'create' ? 201 : 200, answer);
}

async function replaceParent(
  core: Core,
  request: ResourceRequest,
  object: KubeObject,
  current: Entry,
): Promise<KubeObject> {
  const { resource, name } = request;
  const old = resource.objectOf(current);
  const written = cloneJson(object);
  const { resourceVersion } = written.metadata;
  if (resourceVersion && resourceVersion !== String(current.revision)) throw conflict(resource.subject(name), MODIFIED);
  carryMetadata(written, old);
  const { hasGeneration, hasStatus = false } = resource.definition;
  if (hasGeneration !== false && isSpecChanged(written, old, hasStatus)) {
    written.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
  track(core, request, written, old);
  if (request.dryRun) return written;
  try {
    return resource.copyOf(await store(core, request, written, { expected: current }));
  } catch (error) {
    if (error instanceof StaleWriteError) throw conflict(resource.subject(name), MODIFIED);
    throw error;
  }
}
