import { formatTime } from '@fairway/base/clock';
import type { ManagedFieldsEntry } from '@fairway/kube/object/meta';
import { difference, type FieldSet, isEmptySet, parseFieldSet, sortedSet, union } from './field-set.ts';

/** The identity of an entry of `managedFields`: manager, operation and subresource. */
export interface Writer {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
}

/** Update entries beyond this number are merged into one, the oldest first. */
const MAX_UPDATE_MANAGERS = 10;

/** Whether the entry belongs to the writer. An applier stays the same across API versions. */
export function isEntryOf(entry: ManagedFieldsEntry, writer: Writer): boolean {
  return (
    entry.manager === writer.manager &&
    entry.operation === writer.operation &&
    (entry.subresource ?? '') === writer.subresource &&
    (writer.operation === 'Apply' || entry.apiVersion === writer.apiVersion)
  );
}

export function fieldsOf(entry: ManagedFieldsEntry): FieldSet {
  return (entry.fieldsV1 ?? {}) as FieldSet;
}

export function makeEntry(writer: Writer, fields: FieldSet, nowMs: number): ManagedFieldsEntry {
  return {
    manager: writer.manager,
    operation: writer.operation,
    apiVersion: writer.apiVersion,
    time: formatTime(nowMs),
    fieldsType: 'FieldsV1',
    fieldsV1: sortedSet(fields),
    ...(writer.subresource !== '' && { subresource: writer.subresource }),
  };
}

/**
 * The entry without `fields`. Returns the entry itself if it contains none of these fields; undefined if it would
 * become empty.
 */
export function withoutFields(entry: ManagedFieldsEntry, fields: FieldSet | undefined): ManagedFieldsEntry | undefined {
  if (fields === undefined) return entry;
  const ownFields = fieldsOf(entry);
  const rest = difference(ownFields, fields);
  if (rest === ownFields) return entry;
  return isEmptySet(rest) ? undefined : { ...entry, fieldsV1: rest };
}

/** Whether every entry is valid: clients can write anything to `managedFields`. */
export function areValidEntries(entries: readonly ManagedFieldsEntry[]): boolean {
  return entries.every(
    (entry) =>
      (entry.operation === 'Apply' || entry.operation === 'Update') &&
      typeof entry.apiVersion === 'string' &&
      entry.apiVersion !== '' &&
      entry.fieldsType === 'FieldsV1' &&
      parseFieldSet(entry.fieldsV1 ?? {}) !== undefined,
  );
}

/** Kubernetes' order of entries: appliers first, then by time and name. Sorts in place. */
export function sortEntries(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return entries.length < 2 ? entries : entries.sort(compareEntries);
}

function compareEntries(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  return (
    compareText(left.operation, right.operation) ||
    compareText(left.time, right.time) ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion) ||
    compareText(left.subresource, right.subresource)
  );
}

function compareText(left = '', right = ''): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/**
 * If there are too many update entries, merges the oldest ones of each API version under the name
 * `ancient-changes`.
 */
export function capUpdateEntries(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  let surplus = entries.filter((entry) => entry.operation === 'Update').length - MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return entries;
  const oldestFirst = entries
    .filter((entry) => entry.operation === 'Update')
    .sort((left, right) => compareText(left.time, right.time) || compareText(left.manager, right.manager));
  const buckets = new Map<string, ManagedFieldsEntry>();
  const merged = new Set<ManagedFieldsEntry>();
  for (const entry of oldestFirst) {
    if (surplus === 0) break;
    const version = entry.apiVersion ?? '';
    const bucket = buckets.get(version);
    merged.add(entry);
    if (bucket === undefined) {
      const { subresource: _, ...rest } = entry;
      buckets.set(version, { ...rest, manager: 'ancient-changes' });
      continue;
    }
    const fieldsV1 = sortedSet(union(fieldsOf(entry), fieldsOf(bucket)));
    buckets.set(version, { ...bucket, ...(entry.time !== undefined && { time: entry.time }), fieldsV1 });
    surplus--;
  }
  return sortEntries([...entries.filter((entry) => !merged.has(entry)), ...buckets.values()]);
}
