import type { JsonObject } from '@fairway/kube/object/json';
import type { Json, KubeObject, ManagedFieldsEntry } from '@fairway/kube/object/meta';
import { objectSchemaOf } from '../schema/resolve.ts';
import type { Definitions, Schema } from '../schema/schema.ts';
import { compareTyped, type Difference, wholeSet } from './compare.ts';
import { difference, type FieldSet, isEmptySet, union } from './field-set.ts';
import {
  areValidEntries,
  capUpdateEntries,
  fieldsOf,
  isEntryOf,
  makeEntry,
  sortEntries,
  type Writer,
  withoutFields,
} from './manager.ts';

export interface TrackedKind {
  /** Schema of the whole object; `metadata` may be omitted. */
  readonly schema: Schema;
  readonly definitions: Definitions;
  /** Whether `status` is a subresource: writes to the object itself then never own status fields. */
  readonly hasStatus?: boolean;
  /** Whether "" in a field with a default counts as absent, as with Go's types of built-in kinds. */
  readonly isEmptyUnset?: boolean;
}

export interface TrackedUpdate extends TrackedKind {
  /** The stored object; undefined on create. */
  readonly live: KubeObject | undefined;
  /** The object to store. It is not changed. */
  readonly updated: KubeObject;
  readonly manager: string;
  readonly apiVersion: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly nowMs: number;
}

/** Metadata that the server sets or that identifies the object; it is not tracked. */
const UNTRACKED_METADATA: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]);

/**
 * The `managedFields` for an object that a create, update or patch (other than apply) is about to store. The writer
 * takes over every field that it changed, other managers lose it, and fields that no longer exist are dropped. Returns
 * the live object's own entries if no field changed owner or value.
 *
 * A writer may clear all ownership by sending `managedFields: []`, or edit it; writers of subresources may not.
 */
export function trackUpdate(update: TrackedUpdate): readonly ManagedFieldsEntry[] {
  const { live, updated, nowMs } = update;
  const entries = initialEntries(update);
  // An untracked object stays untracked until the first apply.
  if (entries.length === 0 && live !== undefined) return entries;
  const writer: Writer = {
    manager: update.manager === '' ? 'unknown' : update.manager,
    operation: 'Update',
    apiVersion: update.apiVersion,
    subresource: update.subresource,
  };
  const found = trackedDifference(update, live, updated, update.subresource);
  if (found === undefined) return entries;

  const { changed, removed } = found;
  const gained = changed ?? {};
  let own: ManagedFieldsEntry | undefined;
  const next: ManagedFieldsEntry[] = [];
  let isUnchanged = true;
  for (const entry of entries) {
    if (isEntryOf(entry, writer)) {
      own = withoutFields(entry, removed);
      isUnchanged &&= own === entry && isEmptySet(gained);
      continue;
    }
    const kept = withoutFields(entry, changed);
    const rest = kept && withoutFields(kept, removed);
    isUnchanged &&= rest === entry;
    if (rest !== undefined) next.push(rest);
  }
  if (isUnchanged && isEmptySet(gained)) return entries;
  if (!isEmptySet(gained)) own = withGainedFields(own, writer, gained, nowMs);
  if (own !== undefined) next.push(own);
  return capUpdateEntries(sortEntries(next));
}

/**
 * The writer's entry with the fields that it has now set. If the writer already owned all of them, only the time
 * changes.
 */
function withGainedFields(
  own: ManagedFieldsEntry | undefined,
  writer: Writer,
  gained: FieldSet,
  nowMs: number,
): ManagedFieldsEntry {
  if (own === undefined) return makeEntry(writer, gained, nowMs);
  const fields = fieldsOf(own);
  const all = union(fields, gained);
  const entry = makeEntry(writer, {}, nowMs);
  return all === fields && own.fieldsV1 !== undefined
    ? { ...entry, fieldsV1: own.fieldsV1 }
    : makeEntry(writer, all, nowMs);
}

function initialEntries({ live, updated, subresource }: TrackedUpdate): readonly ManagedFieldsEntry[] {
  const stored = live?.metadata.managedFields ?? [];
  const sent = updated.metadata.managedFields;
  if (subresource !== '' || sent === undefined || sent === stored) return stored;
  if (isReset(sent)) return [];
  return sent.length > 0 && areValidEntries(sent) ? sent : stored;
}

/** How a client clears all ownership: an empty list, or a list of one empty entry. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [first] = entries;
  return first === undefined || (entries.length === 1 && Object.keys(first).length === 0);
}

/** The tracked fields that differ, for a writer of `subresource`; undefined if there are none. */
export function trackedDifference(
  kind: TrackedKind,
  live: KubeObject | undefined,
  updated: KubeObject,
  subresource: string,
): Difference | undefined {
  const schema = objectSchemaOf(kind.schema, kind.definitions);
  const right = trackedPart(updated, kind, subresource);
  const found =
    live === undefined
      ? { changed: withoutSelf(wholeSet(schema, right, kind.definitions)), removed: undefined }
      : compareTyped(schema, trackedPart(live, kind, subresource), right, kind.definitions);
  const changed = found?.changed && withoutMetadataSelf(found.changed);
  const removed = found?.removed && withoutMetadataSelf(found.removed);
  const hasNoChange = (changed === undefined || isEmptySet(changed)) && (removed === undefined || isEmptySet(removed));
  return hasNoChange ? undefined : { changed, removed };
}

/** The part of an object that a writer of `subresource` can own. */
export function trackedPart(object: KubeObject, kind: TrackedKind, subresource: string): JsonObject {
  const source = object as unknown as JsonObject;
  const part: Record<string, Json> = { metadata: trackedMetadata(source.metadata as JsonObject | undefined) };
  for (const name in source) {
    const value = source[name];
    if (value !== undefined && isTrackedField(name, kind, subresource)) part[name] = value;
  }
  return part;
}

/** Whether a writer of `subresource` can own the top-level field; metadata is handled separately. */
export function isTrackedField(name: string, kind: TrackedKind, subresource: string): boolean {
  if (name === 'apiVersion' || name === 'kind' || name === 'metadata') return false;
  if (subresource === 'status') return name === 'status';
  return name !== 'status' || kind.hasStatus !== true;
}

export function isTrackedMetadata(name: string): boolean {
  return !UNTRACKED_METADATA.has(name);
}

function trackedMetadata(metadata: JsonObject | undefined): JsonObject {
  const tracked: Record<string, Json> = {};
  for (const name in metadata) {
    const value = metadata[name];
    if (value !== undefined && isTrackedMetadata(name)) tracked[name] = value;
  }
  return tracked;
}

function withoutSelf(set: FieldSet): FieldSet {
  const { '.': _, ...children } = set;
  return children;
}

/** `metadata` itself has no owner, since every object has it. */
export function withoutMetadataSelf(set: FieldSet): FieldSet {
  return 'f:metadata' in set ? difference(set, { 'f:metadata': {} }) : set;
}
