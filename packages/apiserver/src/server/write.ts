import { currentSpan, type Span, versionName } from '@fairway/base/tracing';
import { ApiError, badRequest } from '@fairway/kube/object/api-error';
import { type FieldError, invalid } from '@fairway/kube/object/field-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { type Entry, StoreError } from '../store/store.ts';
import type { AdmissionRequest } from './admission.ts';
import { checkStored } from './body-bounds.ts';
import type { Core } from './core.ts';
import type { ResourceRequest } from './request.ts';
import type { RequestContext } from './resource.ts';
import { canonicalText } from './served-resource.ts';

export interface StoreOptions {
  readonly expected: Entry | undefined;
  readonly remove?: boolean;
  /** State for admission, read in the same event-loop turn as the write. */
  readonly admission?: AdmissionRequest;
}

/**
 * Writes the object, in the request's version, over `expected`, and sets its resourceVersion. Rejects with a
 * StaleWriteError if the stored object has changed, which the caller handles, and with 413 if the object is too large.
 */
export async function store(
  core: Core,
  request: ResourceRequest,
  object: KubeObject,
  { expected, remove = false, admission }: StoreOptions,
): Promise<Entry> {
  const { resource } = request;
  const { namespace = '', name = '', uid } = object.metadata;
  const span = currentSpan();
  const converting = resource.toStored(object);
  const stored = converting instanceof Promise ? await converting : converting;
  if (admission !== undefined) decide(core, admission);
  try {
    const change = await core.store.write({
      bucket: resource.bucket,
      key: resource.keyOf(namespace, name),
      expected,
      remove,
      encode(revision) {
        stored.metadata.resourceVersion = String(revision);
        if (span) recordVersion(span, uid, String(revision));
        const text = canonicalText(stored);
        if (!remove) checkStored(resource, object, text, expected?.text);
        return { text, object: stored };
      },
    });
    const left = remove ? undefined : resource.prepare([change.entry]);
    if (left !== undefined) await left;
    return change.entry;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new ApiError(500, 'InternalError', `Internal error occurred: ${error.message}`, { cause: error });
  }
}

/** Called before the write is announced. */
function recordVersion(span: Span, uid: string | undefined, revision: string): void {
  const version = versionName(uid, revision);
  if (version !== undefined) span.recordWrite(version);
}

/** Throws 422 if there are errors; 400 for values that Go's types could not even decode. */
export function refuse(request: ResourceRequest, name: string, errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const { resource, verb } = request;
  const typeError = errors.find(({ type }) => type === 'FieldValueTypeInvalid');
  const isDecoded = resource.definition.custom !== true && (verb === 'create' || verb === 'update');
  if (typeError === undefined || !isDecoded) throw invalid(resource, name, errors);
  const { kind, version } = resource;
  throw badRequest(
    `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${typeErrorMessage(kind, typeError)}`,
  );
}

const GO_TYPE_NAMES: Readonly<Record<string, string>> = { integer: 'number', boolean: 'bool' };

/** Uses the wording of Go's decoder where the schema allows it. */
function typeErrorMessage(kind: string, { field, value, detail }: FieldError): string {
  const expectedType = /must be of type (\S+): /.exec(detail)?.[1] ?? 'another';
  const found = GO_TYPE_NAMES[String(value)] ?? String(value);
  const path = field.replaceAll(/\[\d+\]/g, '');
  return `json: cannot unmarshal ${found} into Go struct field ${kind}.${path} of type ${expectedType}`;
}

export function contextOf({ user, nowMs, dryRun, access }: ResourceRequest): RequestContext {
  return { user, nowMs, dryRun, access };
}

export async function mutate(core: Core, admission: AdmissionRequest): Promise<void> {
  await mutateOnce(core, admission);
  if (core.admission.some((plugin) => plugin.needsReinvocation?.(admission))) await mutateOnce(core, admission);
  for (const plugin of core.admission) plugin.settle?.(admission);
}

/** Most plugins are synchronous: if no plugin waits, no other write can happen in between. */
async function mutateOnce(core: Core, admission: AdmissionRequest): Promise<void> {
  for (const plugin of core.admission) {
    const pending = plugin.mutate?.(admission);
    if (pending !== undefined) await pending;
  }
}

export async function validate(core: Core, admission: AdmissionRequest): Promise<void> {
  for (const plugin of core.admission) {
    const pending = plugin.validate?.(admission);
    if (pending !== undefined) await pending;
  }
}

/** There must be no await between this and the store's write. */
export function decide(core: Core, admission: AdmissionRequest): void {
  for (const plugin of core.admission) plugin.decide?.(admission);
}
