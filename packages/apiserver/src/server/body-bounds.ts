import { type ApiError, badRequest, entityTooLarge } from '@fairway/kube/object/api-error';
import { type JsonBounds, type JsonExcess, MAX_DEPTH, measureJson } from '@fairway/kube/object/json-bounds';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { ServedResource } from './served-resource.ts';

/**
 * Upstream's limit on request bodies, kube-apiserver's MaxRequestBodyBytes. Here it also applies to the decoded object.
 */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/**
 * Maximum size of a stored object as JSON. etcd accepts Protobuf requests of up to 1.5 MiB, and the same object is
 * about a third longer in JSON.
 */
export const MAX_STORED_BYTES = 2 * 1024 * 1024;

/**
 * Maximum number of fields. Each field is validated and tracked for its manager: a megabyte of short names would block
 * the server for seconds. The largest definitions in use contain a third of this number.
 */
const MAX_VALUES = 60_000;

const DECODED_BOUNDS: JsonBounds = { maxDepth: MAX_DEPTH, maxChars: MAX_BODY_BYTES, maxValues: MAX_VALUES };
/** Limits on stored objects and patches. */
const PATCHED_BOUNDS: JsonBounds = {
  maxDepth: MAX_DEPTH,
  maxChars: MAX_STORED_BYTES + MAX_BODY_BYTES,
  maxValues: MAX_VALUES,
};

/** Throws 400 for a decoded body that is nested too deeply, 413 for one that has become too large. */
export function checkDecoded(value: unknown): void {
  check(value, DECODED_BOUNDS, 'the object provided');
}

/** The same for a patched object. */
export function checkPatched(value: unknown): void {
  check(value, PATCHED_BOUNDS, 'the object with the patch applied');
}

function check(value: unknown, bounds: JsonBounds, subject: string): void {
  const found = measureJson(value, bounds);
  if (typeof found !== 'number') throw refused(found, bounds, subject);
}

function refused({ kind, path }: JsonExcess, { maxDepth, maxChars, maxValues }: JsonBounds, subject: string): ApiError {
  const at = path === '' ? '' : ` (at ${path}…)`;
  if (kind === 'depth') return badRequest(`${subject} is nested deeper than ${maxDepth} levels${at}: make it flatter`);
  if (kind === 'values') {
    return entityTooLarge(
      `${subject} has more than ${maxValues} fields and items${at}: divide it into several objects`,
    );
  }
  return entityTooLarge(`${subject} has more than ${maxChars} bytes when fully expanded${at}: make it smaller`);
}

/**
 * Throws 413 for an object whose text is too long to be stored, and names its largest part. An existing object can be
 * written if it does not grow: otherwise it could never be reduced.
 */
export function checkStored(
  { kind }: Pick<ServedResource, 'kind'>,
  object: KubeObject,
  text: string,
  previous: string | undefined,
): void {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= MAX_STORED_BYTES) return;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_STORED_BYTES || (previous !== undefined && text.length <= previous.length)) return;
  const { name = '' } = object.metadata;
  const largest = largestPart(object);
  throw entityTooLarge(
    `${kind} ${JSON.stringify(name)} would take ${bytes} bytes, the limit is ${MAX_STORED_BYTES}: ` +
      `its largest part is ${largest.path} with ${largest.chars} characters`,
  );
}

/** The field that takes up most of the text; for metadata and spec, the largest field within them. */
function largestPart(object: object, prefix = ''): { readonly path: string; readonly chars: number } {
  let largest = { path: prefix, chars: 0, value: undefined as unknown };
  for (const [name, value] of Object.entries(object)) {
    const chars = (JSON.stringify(value) ?? '').length;
    if (chars > largest.chars) largest = { path: prefix === '' ? name : `${prefix}.${name}`, chars, value };
  }
  const { path, chars, value } = largest;
  const isGroup = prefix === '' && typeof value === 'object' && value !== null && !Array.isArray(value);
  return isGroup ? largestPart(value, path) : { path, chars };
}
