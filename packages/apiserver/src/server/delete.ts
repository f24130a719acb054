import { formatTime } from '@fairway/base/clock';
import { badRequest, conflict } from '@fairway/kube/object/api-error';
import { isJsonObject } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Entry, StaleWriteError } from '../store/store.ts';
import type { Core } from './core.ts';
import { CRD_BUCKET, CRD_FINALIZER, markTerminating } from './crd-rules.ts';
import { isNamespace, refuseUndeletableNamespace, specFinalizers } from './namespace-rules.ts';
import { currentEntry, respondWithObject } from './object-response.ts';
import { type ApiResponse, jsonResponse, type ResourceRequest } from './request.ts';
import { dryRunErrors, refuseOptions, unsupported } from './request-options.ts';
import { mutate, store, validate } from './write.ts';
import { WriteAdmission } from './write-admission.ts';

/** `metav1.DeleteOptions`, from the body or the query. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly dryRun?: readonly string[];
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

const MAX_ATTEMPTS = 100;

export async function remove(core: Core, asked: ResourceRequest): Promise<ApiResponse> {
  const options = deleteOptionsOf(asked);
  const request = { ...asked, dryRun: isDryRun(options) };
  const { entry, isDeleted } = await removeObject(core, request, options);
  const { resource, name } = request;
  if (!isDeleted) return respondWithObject(request, options.orphanDependents === false ? 202 : 200, entry);
  const { uid } = entry instanceof Object && 'object' in entry ? entry.object().metadata : entry.metadata;
  return jsonResponse(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(resource.group !== '' && { group: resource.group }), kind: resource.plural, uid },
  });
}

export function isDryRun({ dryRun = [] }: DeleteOptions): boolean {
  return dryRun.includes('All');
}

export interface Removal {
  readonly entry: Entry | KubeObject;
  /** False while finalizers or the grace period keep the object. */
  readonly isDeleted: boolean;
}

/** Deletes the requested object, or marks it as being deleted. */
export async function removeObject(core: Core, request: ResourceRequest, options: DeleteOptions): Promise<Removal> {
  for (let attempt = 0; ; attempt++) {
    const found = currentEntry(core, request);
    const current = found instanceof Promise ? await found : found;
    try {
      return await removeEntry(core, request, options, current);
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      if (attempt === MAX_ATTEMPTS) throw conflict(request.resource.subject(request.name), 'the object keeps changing');
      await request.nextTurn?.();
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
  if (isNamespace(resource)) refuseUndeletableNamespace(request);
  checkPreconditions(request, options, current);
  const old = resource.objectOf(current);
  // Admission can't reject the server's own deletions when a definition is deleted.
  if (request.loopback !== undefined) {
    const admission = new WriteAdmission(core, request, {
      operation: 'DELETE',
      oldObject: old,
      deleteOptions: { ...options },
    });
    await mutate(core, admission);
    await validate(core, admission);
  }

  const object = resource.copyOf(current);
  const { metadata } = object;
  const finalizers = desiredFinalizers(request, object, options);
  if (resource.bucket === CRD_BUCKET && metadata.deletionTimestamp === undefined) {
    if (!finalizers.includes(CRD_FINALIZER)) finalizers.push(CRD_FINALIZER);
    markTerminating(object, request.nowMs);
  }
  if (finalizers.length === 0) delete metadata.finalizers;
  else metadata.finalizers = finalizers;
  const graceSeconds = graceOf(request, object, options);
  const pending = finalizers.length > 0 || (isNamespace(resource) && specFinalizers(object).length > 0);
  if (!pending && graceSeconds === 0) {
    if (request.dryRun) return { entry: object, isDeleted: true };
    return { entry: await store(core, request, object, { expected: current, remove: true }), isDeleted: true };
  }
  if (!mark(object, graceSeconds, request.nowMs) && finalizers.length === (old.metadata.finalizers ?? []).length) {
    await core.settled();
    return { entry: current, isDeleted: false };
  }
  if (isNamespace(resource))
    Object.assign(object, { status: { ...(object as { status?: object }).status, phase: 'Terminating' } });
  if (request.dryRun) return { entry: object, isDeleted: false };
  return { entry: await store(core, request, object, { expected: current }), isDeleted: false };
}

/** Sets or shortens the deletion timestamp; false if nothing changed. */
function mark(object: KubeObject, graceSeconds: number, nowMs: number): boolean {
  const { metadata } = object;
  const previous = metadata.deletionGracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined && previous !== undefined && graceSeconds >= previous) return false;
  // A shorter period counts from the first request, like upstream.
  const startMs =
    metadata.deletionTimestamp === undefined ? nowMs : Date.parse(metadata.deletionTimestamp) - (previous ?? 0) * 1000;
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

/** The object's finalizers, including the finalizer of the propagation policy. */
function desiredFinalizers(request: ResourceRequest, object: KubeObject, options: DeleteOptions): string[] {
  const finalizers = [...(object.metadata.finalizers ?? [])];
  const { propagationPolicy, orphanDependents } = options;
  if (propagationPolicy === undefined && orphanDependents === undefined) {
    const warning = request.resource.definition.strategy?.orphansDependents;
    if (warning === undefined) return finalizers;
    if (warning !== '') request.warn(warning);
    const isDecided = finalizers.includes('orphan') || finalizers.includes('foregroundDeletion');
    return isDecided ? finalizers : [...finalizers, 'orphan'];
  }
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
  // Upstream reports the kind here; other conflicts report the resource.
  const subject = { ...resource.subject(name), resource: resource.kind };
  const currentUid = current.object().metadata.uid;
  if (uid !== undefined && uid !== currentUid) {
    const detail = `the UID in the precondition (${uid}) does not match the UID in record (${currentUid}). The object might have been deleted and then recreated`;
    throw conflict(subject, detail);
  }
  if (resourceVersion !== undefined && resourceVersion !== String(current.revision)) {
    const detail = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${current.revision}). The object might have been modified`;
    throw conflict(subject, detail);
  }
}

/** In upstream's format and order, with `nil` for a missing value. */
const POLICIES = ['Foreground', 'Background', 'Orphan', 'nil'];

/**
 * Reads DeleteOptions from the body. Without a body it reads them from the query; with one, kube-apiserver ignores the
 * query, even for `dryRun`. Throws 400 or 422.
 */
export function deleteOptionsOf({ body, query }: ResourceRequest): DeleteOptions {
  const options = body === '' ? fromQuery(query) : fromBody(body);
  const { propagationPolicy: policy, orphanDependents, dryRun = [] } = options;
  const errors = dryRunErrors(dryRun);
  if (policy !== undefined && orphanDependents !== undefined) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push({ type: 'FieldValueInvalid', field: 'propagationPolicy', value: policy, detail });
  }
  if (policy !== undefined && (!POLICIES.includes(policy) || policy === 'nil')) {
    errors.push(unsupported('propagationPolicy', policy, POLICIES));
  }
  refuseOptions('DeleteOptions', errors);
  return options;
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  return {
    dryRun: query.getAll('dryRun'),
    ...(grace !== null && { gracePeriodSeconds: secondsOf(grace) }),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(orphan !== null && { orphanDependents: orphan === 'true' }),
  };
}

function secondsOf(text: string): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function fromBody(body: string): DeleteOptions {
  let options: unknown;
  try {
    options = JSON.parse(body);
  } catch (error) {
    throw badRequest(`couldn't read DeleteOptions: ${(error as Error).message}`);
  }
  if (!isJsonObject(options)) throw badRequest('decoded object cannot be converted to DeleteOptions');
  const { kind, gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions, dryRun } = options;
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw badRequest('decoded object cannot be converted to DeleteOptions');
  }
  return {
    ...(typeof gracePeriodSeconds === 'number' && { gracePeriodSeconds }),
    ...(typeof propagationPolicy === 'string' && { propagationPolicy }),
    ...(typeof orphanDependents === 'boolean' && { orphanDependents }),
    ...(Array.isArray(dryRun) && { dryRun: dryRun.map(String) }),
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
