import { badRequest } from '@fairway/kube/object/api-error';
import { type JsonObject, jsonEqual } from '@fairway/kube/object/json';
import type { KubeObject, ManagedFieldsEntry } from '@fairway/kube/object/meta';
import { objectSchemaOf } from '../schema/resolve.ts';
import { applyConflict, type ManagerConflict } from './apply-conflict.ts';
import { claimedSet } from './compare.ts';
import { difference, type FieldSet, intersection, isEmptySet, sortedSet, union } from './field-set.ts';
import { allowedByLastApplied, syncLastApplied } from './last-applied.ts';
import {
  isTrackedField,
  isTrackedMetadata,
  type TrackedKind,
  trackedDifference,
  trackedPart,
  withoutMetadataSelf,
} from './managed-fields.ts';
import { areValidEntries, fieldsOf, isEntryOf, makeEntry, sortEntries, type Writer, withoutFields } from './manager.ts';
import { withKeyDefaults, withoutUnsetKeys } from './map-keys.ts';
import { checkListItems, mergeTyped, removeFields, withNamedParents } from './merge-typed.ts';

export interface ApplyRequest extends TrackedKind {
  /** The stored object; undefined if the apply creates it. */
  readonly live: KubeObject | undefined;
  /** The configuration: everything that the manager wants to own. */
  readonly applied: KubeObject;
  readonly manager: string;
  /** Takes over fields owned by other managers instead of failing. */
  readonly force: boolean;
  readonly apiVersion: string;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly nowMs: number;
}

/**
 * Server-side apply: merges the configuration into the live object, removes fields that this manager applied before
 * and now omits (unless another manager owns them too), and records the resulting ownership in
 * `metadata.managedFields`. Returns `live` itself if nothing changes. The inputs are not changed; the result may share
 * parts with them.
 *
 * Errors: Conflict with a cause per field that another manager owns with a different value; BadRequest for a
 * configuration that carries managedFields or whose list items cannot be told apart.
 */
export function applyPatch(request: ApplyRequest): KubeObject {
  const { applied, live, subresource, definitions, nowMs } = request;
  if ((applied.metadata.managedFields ?? []).length > 0) throw badRequest('metadata.managedFields must be nil');
  const schema = objectSchemaOf(request.schema, definitions);
  const configured = trackedPart(applied, request, subresource);
  const configuration = withoutUnsetKeys(schema, configured, definitions, request.isEmptyUnset ?? false);
  checkListItems(schema, configuration, definitions);

  const writer: Writer = { ...request, operation: 'Apply' };
  const claimed = withoutMetadataSelf(claimedSet(schema, configuration, definitions) ?? {});
  const entries = entriesBeforeApply(request, claimed).map((entry) => withKeyDefaults(entry, schema, definitions));
  const own = entries.find((entry) => isEntryOf(entry, writer));
  const others = entries.filter((entry) => entry !== own);

  const livePart = live === undefined ? { metadata: {} } : trackedPart(live, request, subresource);
  const merge = (value: JsonObject) => mergeTyped(schema, value, configuration, definitions) as JsonObject;
  const merged = merge(livePart);
  const pruned = own === undefined ? merged : prune(request, merged, fieldsOf(own), claimed, others);
  // Removes fields that became empty, unless they are empty in the configuration.
  const result = reassemble(request, pruned === merged ? merged : merge(pruned));

  const found = trackedDifference(request, live, result, subresource);
  const conflicts = conflictsWith(others, found?.changed);
  if (!request.force && conflicts.length > 0) {
    const remaining = withoutAllowed(request, conflicts);
    if (remaining.length > 0) throw applyConflict(remaining);
  }

  const isSameClaim = own !== undefined && jsonEqual(fieldsOf(own), claimed) && own.apiVersion === request.apiVersion;
  const kept = others
    .map((entry) => withoutFields(entry, found?.changed))
    .map((entry) => entry && withoutFields(entry, found?.removed))
    .filter((entry) => entry !== undefined);
  const next = isSameClaim && found === undefined ? own : makeEntry(writer, claimed, nowMs);
  const managed = sortEntries(isEmptySet(claimed) ? kept : [...kept, next]);
  if (live !== undefined && found === undefined && isSameClaim && jsonEqual(managed, live.metadata.managedFields)) {
    return live;
  }
  const { managedFields: _, ...metadata } = result.metadata;
  const object = { ...result, metadata: { ...metadata, ...(managed.length > 0 && { managedFields: managed }) } };
  return syncLastApplied(object, applied, request.manager);
}

/** The live object's entries; an object without any is owned by `before-first-apply`. */
function entriesBeforeApply(request: ApplyRequest, claimed: FieldSet): readonly ManagedFieldsEntry[] {
  const { live, apiVersion, subresource, nowMs } = request;
  const stored = live?.metadata.managedFields ?? [];
  if (stored.length > 0 && areValidEntries(stored)) return stored;
  // A configuration without fields takes over nothing: applying it again must be a no-op.
  if (isEmptySet(claimed)) return [];
  const everything = live && trackedDifference(request, undefined, live, subresource)?.changed;
  if (everything === undefined) return [];
  return [
    makeEntry({ manager: 'before-first-apply', operation: 'Update', apiVersion, subresource }, everything, nowMs),
  ];
}

/**
 * Removes the fields from the merged object that the manager applied last time and no longer applies, unless another
 * manager owns them. Fields that the manager never owned stay, even inside removed fields.
 */
function prune(
  { schema: kindSchema, definitions }: TrackedKind,
  merged: JsonObject,
  last: FieldSet,
  claimed: FieldSet,
  others: readonly ManagedFieldsEntry[],
): JsonObject {
  const droppedFields = difference(last, claimed);
  if (isEmptySet(droppedFields)) return merged;
  const schema = objectSchemaOf(kindSchema, definitions);
  const named = (set: FieldSet | undefined) => withNamedParents(schema, set ?? {}, definitions);
  const removeFrom = (value: JsonObject, set: FieldSet, emptied?: null) =>
    (removeFields(schema, value, set, definitions, emptied) ?? {}) as JsonObject;

  const everything = named(claimedSet(schema, merged, definitions));
  const lastNamed = named(last);
  const withoutLast = removeFrom(merged, lastNamed);
  const managed = others.reduce((all, entry) => union(all, fieldsOf(entry)), claimed);
  const retained = union(named(claimedSet(schema, withoutLast, definitions)), named(managed));
  // Null represents a field that stays although its content is removed.
  const withOwned = removeFrom(merged, difference(everything, retained), null);
  const lost = difference(everything, named(claimedSet(schema, withOwned, definitions)));
  return removeFrom(merged, intersection(lost, lastNamed));
}

/**
 * The whole object around its tracked part: server-owned fields and fields of other subresources come from the live
 * object.
 */
function reassemble(request: ApplyRequest, part: JsonObject): KubeObject {
  const { live, applied, subresource } = request;
  const { metadata: tracked, ...fields } = part;
  const { name, namespace, uid, resourceVersion } = applied.metadata;
  const identity = { name, namespace, uid, resourceVersion };
  const untouched = Object.entries(live ?? {}).filter(([field]) => !isTrackedField(field, request, subresource));
  const untouchedMetadata = Object.entries(live?.metadata ?? {}).filter(([field]) => !isTrackedMetadata(field));
  return {
    apiVersion: applied.apiVersion,
    kind: applied.kind,
    ...Object.fromEntries(untouched),
    metadata: {
      ...Object.fromEntries(untouchedMetadata),
      ...Object.fromEntries(Object.entries(identity).filter(([, value]) => value != null && value !== '')),
      ...(tracked as JsonObject | undefined),
    },
    ...fields,
  } as KubeObject;
}

function conflictsWith(others: readonly ManagedFieldsEntry[], changed: FieldSet | undefined): ManagerConflict[] {
  if (changed === undefined) return [];
  return others
    .map((entry) => ({ entry, fields: intersection(fieldsOf(entry), changed) }))
    .filter(({ fields }) => !isEmptySet(fields));
}

/** Conflicts that remain when kubectl moves from client-side to server-side apply. */
function withoutAllowed(request: ApplyRequest, conflicts: readonly ManagerConflict[]): readonly ManagerConflict[] {
  const allowed = request.manager === 'kubectl' ? allowedByLastApplied(request) : undefined;
  if (allowed === undefined) return conflicts;
  return conflicts
    .map(({ entry, fields }) => ({ entry, fields: sortedSet(difference(fields, allowed)) }))
    .filter(({ fields }) => !isEmptySet(fields));
}
