import { isDeepStrictEqual } from 'node:util';
import { ConditionType } from '@fairway/api/conditions';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { BACKUP_PAUSE, RESTORE_PAUSE } from '@fairway/api/pause';
import { Namespaces, ServiceAccounts } from '@fairway/kube/kinds/resources';
import type { Condition, KubeObject, ObjectMeta, OwnerReference, ResourceType } from '@fairway/kube/object/meta';
import { PAUSABLE_KINDS } from '../backed-up-kinds.ts';

/** An object with a spec; the other fields depend on its kind. */
export interface StatefulObject extends KubeObject {
  readonly status?: { readonly originUID?: string; readonly conditions?: readonly Condition[] } & Record<
    string,
    unknown
  >;
}

const KINDS_WITH_IDENTITY: readonly ResourceType[] = [clusters, nodePools, machines];
/** Kinds with a status that cannot be observed again: resources created for the object, and its cloud identity. */
const KINDS_WITH_STATUS: readonly ResourceType[] = [...KINDS_WITH_IDENTITY, cloudCredentials, usageRecords];

export function hasIdentity(type: ResourceType): boolean {
  return KINDS_WITH_IDENTITY.includes(type);
}

export function isPausable(type: ResourceType): boolean {
  return PAUSABLE_KINDS.includes(type);
}

/**
 * The object to create for an object in a backup: without server-set fields, with the target's owner UIDs, and paused
 * if controllers reconcile it. Owners unknown to `uidOf` are omitted, because the garbage collector would otherwise
 * delete the object.
 */
export function desiredObject(
  type: ResourceType,
  source: KubeObject,
  uidOf: (sourceUid: string) => string | undefined,
): KubeObject {
  const { metadata, status: _status, ...content } = source as StatefulObject;
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const ownerReferences = (metadata.ownerReferences ?? []).flatMap((owner): OwnerReference[] => {
    const uid = uidOf(owner.uid);
    return uid === undefined ? [] : [{ ...owner, uid }];
  });
  const paused = isPausable(type) ? { [PAUSED_ANNOTATION]: RESTORE_PAUSE } : {};
  const desired: ObjectMeta = {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(labels && { labels }),
    ...((annotations || isPausable(type)) && { annotations: { ...annotations, ...paused } }),
    ...(finalizers && { finalizers: finalizers.filter((finalizer) => !isServerOwned(finalizer)) }),
    ...(ownerReferences.length > 0 && { ownerReferences }),
  };
  return { ...omitServerFields(type, content), metadata: desired };
}

/** Finalizers that the API server itself handles. */
function isServerOwned(finalizer: string): boolean {
  return finalizer === 'foregroundDeletion' || finalizer === 'orphan';
}

/** Fields set by the API server or its controllers. */
function omitServerFields(type: ResourceType, content: object): object {
  const fields: Record<string, unknown> = { ...content };
  if (type === Namespaces) delete fields['spec'];
  if (type === ServiceAccounts) delete fields['secrets'];
  return fields;
}

/** The object's status with its cloud identity; undefined for kinds whose status is observed again. */
export function desiredStatus(type: ResourceType, source: KubeObject): object | undefined {
  if (!KINDS_WITH_STATUS.includes(type)) return undefined;
  const { status = {} } = source as StatefulObject;
  // Observations refer to a different generation and a different Fairway.
  const { observedGeneration: _observed, conditions = [], ...known } = status;
  return {
    ...known,
    conditions: conditions
      .filter((condition) => condition.type !== ConditionType.Paused)
      .map(({ observedGeneration: _observedRestore, ...condition }) => condition),
    ...(hasIdentity(type) && { originUID: identityOf(source) }),
  };
}

/** The pause annotation that a user had set before the backup. */
export function userPauseOf({ metadata }: KubeObject): string | undefined {
  const value = metadata.annotations?.[PAUSED_ANNOTATION];
  return value === BACKUP_PAUSE || value === RESTORE_PAUSE ? undefined : value;
}

export function isBeingRestored({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[PAUSED_ANNOTATION] === RESTORE_PAUSE;
}

/**
 * Paths of the fields in which an existing object differs from the desired object. Fields that the desired object does
 * not set are ignored, except in maps of data, which have no defaults.
 */
export function differences(desired: KubeObject, existing: KubeObject): string[] {
  const { metadata: _desired, apiVersion: _version, kind: _kind, ...desiredFields } = desired;
  return fieldDifferences(desiredFields, existing, []);
}

const DATA_FIELDS: ReadonlySet<string> = new Set(['data', 'binaryData']);

function fieldDifferences(desiredFields: object, existing: unknown, path: readonly string[]): string[] {
  const held = isRecord(existing) ? existing : {};
  return Object.entries(desiredFields).flatMap(([key, value]: [string, unknown]): string[] => {
    const at = [...path, key];
    if (isRecord(value) && !(path.length === 0 && DATA_FIELDS.has(key))) return fieldDifferences(value, held[key], at);
    return isSame(value, held[key]) ? [] : [at.join('.')];
  });
}

/** An empty list is equivalent to an absent one. */
function isSame(a: unknown, b: unknown): boolean {
  const normalize = (value: unknown) => (Array.isArray(value) && value.length === 0 ? undefined : value);
  return isDeepStrictEqual(normalize(a), normalize(b));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
