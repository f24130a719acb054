import { formatTime } from '../clock.ts';
import { badRequest, conflict } from '../object/api-error.ts';
import { isJsonObject } from '../object/json.ts';
import type { KubeObject } from '../object/meta.ts';
import { type Entry, StaleWriteError } from '../store/store.ts';
import { answerObject, currentEntry } from './answer.ts';
import type { Core } from './core.ts';
import { CRD_BUCKET, CRD_FINALIZER, markTerminating } from './crd-rules.ts';
import { isNamespace, specFinalizers } from './namespace-rules.ts';
import { type Answer, jsonAnswer, type ResourceRequest } from './request.ts';
import { admissionOf, store, validate } from './write.ts';

/** `metav1.DeleteOptions`, from the body or the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

const MAX_ATTEMPTS = 100;

export async function remove(core: Core, request: ResourceRequest): Promise<Answer> {
  const options = deleteOptionsOf(request);
  const { entry, gone } = await removeObject(core, request, options);
  const { resource, name } = request;
  if (!gone) return answerObject(request, options.orphanDependents === false ? 202 : 200, entry);
  const { uid } = entry instanceof Object && 'object' in entry ? entry.object().metadata : entry.metadata;
  return jsonAnswer(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(resource.group !== '' && { group: resource.group }), kind: resource.plural, uid },
  });
}

export interface Removal {
  readonly entry: Entry | KubeObject;
  /** False while finalizers or its grace period hold it. */
  readonly gone: boolean;
}

/** Deletes, or marks as being deleted, the object that the request names. */
export async function removeObject(core: Core, request: ResourceRequest, options: DeleteOptions): Promise<Removal> {
  for (let attempt = 0; ; attempt++) {
    const current = currentEntry(core, request);
    try {
      return await removeEntry(core, request, options, current);
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      if (attempt === MAX_ATTEMPTS) throw conflict(request.resource.subject(request.name), 'the object keeps changing');
    }
  }
}

async function removeEntry(
  core: Core,
  request: ResourceRequest,
  options: DeleteOptions,
  current: Entry,
): Promise<Removal> {
  const { resource } = request;
  checkPreconditions(request, options, current);
  const old = resource.objectOf(current);
  await validate(core, admissionOf(request, 'DELETE', undefined, old));

  const object = resource.copyOf(current);
  const { metadata } = object;
  const finalizers = wantedFinalizers(object, options);
  if (resource.bucket === CRD_BUCKET && metadata.deletionTimestamp === undefined) {
    if (!finalizers.includes(CRD_FINALIZER)) finalizers.push(CRD_FINALIZER);
    markTerminating(object, request.nowMs);
  }
  if (finalizers.length === 0) delete metadata.finalizers;
  else metadata.finalizers = finalizers;
  const graceSeconds = graceOf(request, object, options);
  const pending = finalizers.length > 0 || (isNamespace(resource) && specFinalizers(object).length > 0);
  if (!pending && graceSeconds === 0) {
    if (request.dryRun) return { entry: object, gone: true };
    return { entry: await store(core, request, object, { expected: current, remove: true }), gone: true };
  }
  if (!mark(object, graceSeconds, request.nowMs) && finalizers.length === (old.metadata.finalizers ?? []).length) {
    await core.settled();
    return { entry: current, gone: false };
  }
  if (isNamespace(resource))
    Object.assign(object, { status: { ...(object as { status?: object }).status, phase: 'Terminating' } });
  if (request.dryRun) return { entry: object, gone: false };
  return { entry: await store(core, request, object, { expected: current }), gone: false };
}

/** Sets the deletion timestamp, or brings it forward; false where there was nothing to change. */
function mark(object: KubeObject, graceSeconds: number, nowMs: number): boolean {
  const { metadata } = object;
  const before = metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined && before !== undefined && graceSeconds >= before) return false;
  // A shorter period counts from the first request, as upstream does it.
  const startMs =
    metadata.deletionTimestamp === undefined ? nowMs : Date.parse(metadata.deletionTimestamp) - (before ?? 0) * 1000;
  if (metadata.deletionTimestamp === undefined && metadata.generation !== undefined) metadata.generation++;
  metadata.deletionTimestamp = formatTime(startMs + graceSeconds * 1000);
  metadata.deletionGracePeriodSeconds = graceSeconds;
  return true;
}

function graceOf({ resource }: ResourceRequest, object: KubeObject, options: DeleteOptions): number {
  const { gracePeriodSeconds: requested } = options;
  const asked = requested !== undefined && requested < 0 ? 1 : requested;
  return Math.max(0, resource.definition.strategy?.gracePeriodSeconds?.(object, asked) ?? 0);
}

/** The object's finalizers with what the propagation policy asks of the garbage collector. */
function wantedFinalizers(object: KubeObject, options: DeleteOptions): string[] {
  const finalizers = [...(object.metadata.finalizers ?? [])];
  const { propagationPolicy, orphanDependents } = options;
  if (propagationPolicy === undefined && orphanDependents === undefined) return finalizers;
  const rest = finalizers.filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion');
  if (propagationPolicy === 'Orphan' || orphanDependents === true) return [...rest, 'orphan'];
  if (propagationPolicy === 'Foreground') return [...rest, 'foregroundDeletion'];
  return rest;
}

function checkPreconditions(
  { resource, name }: ResourceRequest,
  { preconditions }: DeleteOptions,
  current: Entry,
): void {
  const { uid, resourceVersion } = preconditions ?? {};
  const currentUid = current.object().metadata.uid;
  if (uid !== undefined && uid !== currentUid) {
    const detail = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${currentUid}`;
    throw conflict(resource.subject(name), detail);
  }
  if (resourceVersion !== undefined && resourceVersion !== String(current.revision)) {
    const detail = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${current.revision}`;
    throw conflict(resource.subject(name), detail);
  }
}

const POLICIES = ['Orphan', 'Background', 'Foreground'];

/** Reads DeleteOptions from the body, or from the query where there is none; throws 400. */
export function deleteOptionsOf({ body, query }: ResourceRequest): DeleteOptions {
  const options = body.trim() === '' ? fromQuery(query) : fromBody(body);
  if (options.propagationPolicy !== undefined && !POLICIES.includes(options.propagationPolicy)) {
    throw badRequest(
      `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: ${JSON.stringify(options.propagationPolicy)}: supported values: "Background", "Foreground", "Orphan"`,
    );
  }
  return options;
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  return {
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(orphan !== null && { orphanDependents: orphan === 'true' }),
  };
}

function fromBody(body: string): DeleteOptions {
  let options: unknown;
  try {
    options = JSON.parse(body);
  } catch (error) {
    throw badRequest(`couldn't read DeleteOptions: ${(error as Error).message}`);
  }
  if (!isJsonObject(options)) throw badRequest('decoded object cannot be converted to DeleteOptions');
  const { kind, gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions } = options;
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw badRequest('decoded object cannot be converted to DeleteOptions');
  }
  return {
    ...(typeof gracePeriodSeconds === 'number' && { gracePeriodSeconds }),
    ...(typeof propagationPolicy === 'string' && { propagationPolicy }),
    ...(typeof orphanDependents === 'boolean' && { orphanDependents }),
    ...(isJsonObject(preconditions) && {
      preconditions: {
        ...(typeof preconditions['uid'] === 'string' && { uid: preconditions['uid'] }),
        ...(typeof preconditions['resourceVersion'] === 'string' && {
          resourceVersion: preconditions['resourceVersion'],
        }),
      },
    }),
  };
}
