import { isJsonObject } from '@fairway/kube/object/json';
import type { KubeObject } from '@fairway/kube/object/meta';
import { objectSchemaOf } from '../schema/resolve.ts';
import { claimedSet } from './compare.ts';
import { difference, type FieldSet } from './field-set.ts';
import { type TrackedKind, trackedDifference, trackedPart } from './managed-fields.ts';

/** Annotation with the last configuration of client-side `kubectl apply`. */
const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** Maximum total size of an object's annotations in bytes. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

interface Migration extends TrackedKind {
  readonly live: KubeObject | undefined;
  readonly apiVersion: string;
  readonly subresource: string;
}

/**
 * The fields that kubectl may take over because client-side apply set them and they are unchanged: migrating to
 * server-side apply then causes no conflicts. Undefined if client-side apply was not used.
 */
export function allowedByLastApplied(migration: Migration): FieldSet | undefined {
  const { live, apiVersion, subresource, schema, definitions } = migration;
  const lastApplied = parseObject(live?.metadata.annotations?.[LAST_APPLIED_ANNOTATION]);
  if (live === undefined || lastApplied === undefined || lastApplied.apiVersion !== apiVersion) return undefined;
  const whole = objectSchemaOf(schema, definitions);
  const claimed = claimedSet(whole, trackedPart(lastApplied, migration, subresource), definitions) ?? {};
  const since = trackedDifference(migration, lastApplied, live, subresource);
  return difference(difference(claimed, since?.changed ?? {}), since?.removed ?? {});
}

/** Updates the annotation of client-side apply when kubectl uses server-side apply. */
export function syncLastApplied(object: KubeObject, applied: KubeObject, manager: string): KubeObject {
  const annotations = object.metadata.annotations;
  if (manager !== 'kubectl' || !annotations?.[LAST_APPLIED_ANNOTATION]) return object;
  const { [LAST_APPLIED_ANNOTATION]: _, ...others } = annotations;
  const { [LAST_APPLIED_ANNOTATION]: _own, ...appliedAnnotations } = applied.metadata.annotations ?? {};
  const configuration = { ...applied, metadata: { ...applied.metadata, annotations: appliedAnnotations } };
  const synced = { ...others, [LAST_APPLIED_ANNOTATION]: `${JSON.stringify(configuration)}\n` };
  const bytes = Object.entries(synced).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  return {
    ...object,
    metadata: { ...object.metadata, annotations: bytes > MAX_ANNOTATIONS_BYTES ? others : synced },
  };
}

function parseObject(text: string | undefined): KubeObject | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isJsonObject(value.metadata) ? (value as unknown as KubeObject) : undefined;
  } catch {
    return undefined;
  }
}
