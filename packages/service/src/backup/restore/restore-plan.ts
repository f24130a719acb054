import { GROUP } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { Namespaces } from '@fairway/kube/kinds/resources';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import { backedUpKind, objectName } from '../backed-up-kinds.ts';
import {
  desiredObject,
  differences,
  hasIdentity,
  isBeingRestored,
  isPausable,
  type StatefulObject,
} from './desired-object.ts';

/** The action for one object of a backup. */
export type Step = {
  readonly type: ResourceType;
  /** The object in the backup. */
  readonly source: KubeObject;
} & (
  | { readonly action: 'create' }
  /** Created by an interrupted restore: its status may be missing. */
  | { readonly action: 'complete'; readonly existing: KubeObject }
  /** Exists in its desired state. */
  | { readonly action: 'keep'; readonly existing: KubeObject }
  /** Exists with differences, and the user has chosen to overwrite it. */
  | { readonly action: 'overwrite'; readonly existing: KubeObject; readonly fields: readonly string[] }
  /** An existing Namespace gets the labels and annotations that it lacks. */
  | { readonly action: 'annotate'; readonly existing: KubeObject; readonly metadata: object }
  /** The cluster exists, and has kept running without the object. */
  | { readonly action: 'leaveOut' }
);

export interface RestorePlan {
  readonly steps: readonly Step[];
  /** Conflicts, with one sentence each. */
  readonly conflicts: readonly string[];
}

/** Gets an object from the target, or undefined. */
export type Lookup = (type: ResourceType, namespace: string | undefined, name: string) => KubeObject | undefined;

/** Plans a restore based on the objects in the target. Pure. */
export function planRestore(objects: readonly KubeObject[], lookup: Lookup, overwrite: boolean): RestorePlan {
  const steps: Step[] = [];
  const conflicts: string[] = [];
  const existingClusters = findExistingClusters(objects, lookup);
  for (const source of objects) {
    const type = backedUpKind(source);
    if (type === undefined) {
      conflicts.push(
        `${source.kind} ${source.metadata.name}: this version of Fairway cannot restore ${source.apiVersion}`,
      );
      continue;
    }
    const { namespace, name = '' } = source.metadata;
    const existing = lookup(type, namespace, name);
    const step =
      existing === undefined ? newStep(type, source, existingClusters) : stepFor(type, source, existing, overwrite);
    if (typeof step === 'string') conflicts.push(`${objectName(type, source)}: ${step}`);
    else steps.push(step);
  }
  return { steps, conflicts };
}

function newStep(type: ResourceType, source: KubeObject, existingClusters: ReadonlySet<string>): Step {
  const isPoolOrMachine = type === nodePools || type === machines;
  return {
    type,
    source,
    action: isPoolOrMachine && existingClusters.has(clusterKeyOf(source)) ? 'leaveOut' : 'create',
  };
}

function stepFor(type: ResourceType, source: KubeObject, existing: KubeObject, overwrite: boolean): Step | string {
  if (type === Namespaces) return namespaceStep(source, existing, overwrite);
  if (existing.metadata.deletionTimestamp !== undefined && !isOwnRestore(type, source, existing)) {
    return 'the existing object is being deleted; run the restore again once it is deleted';
  }
  if (hasIdentity(type) && !isOwnRestore(type, source, existing)) {
    return `the name is taken by another object (UID ${existing.metadata.uid}), which is never overwritten; delete or rename it first`;
  }
  const fields = differences(
    desiredObject(type, source, () => undefined),
    existing,
  );
  if (fields.length > 0) {
    if (!overwrite || type === machines) return `it exists and differs in ${fields.join(', ')}`;
    return { type, source, action: 'overwrite', existing, fields };
  }
  return { type, source, action: isIncomplete(type, existing) ? 'complete' : 'keep', existing };
}

/** Whether an interrupted restore may have left the object without its status. */
function isIncomplete(type: ResourceType, existing: KubeObject): boolean {
  if (type === usageRecords) return (existing as StatefulObject).status === undefined;
  return isPausable(type) && isBeingRestored(existing);
}

/**
 * Whether the existing object is the same as the one in the backup: it has the same cloud identity, or a restore has
 * just created it.
 */
function isOwnRestore(type: ResourceType, source: KubeObject, existing: KubeObject): boolean {
  if (!hasIdentity(type)) return isBeingRestored(existing);
  if (identityOf(existing) === identityOf(source)) return true;
  const { status } = existing as StatefulObject;
  return isBeingRestored(existing) && status?.originUID === undefined;
}

/** Clusters running in the target, by `namespace/name`: restored earlier, or never deleted. */
function findExistingClusters(objects: readonly KubeObject[], lookup: Lookup): ReadonlySet<string> {
  const found = objects
    .filter((object) => backedUpKind(object) === clusters)
    .filter((source) => {
      const { namespace, name = '' } = source.metadata;
      const existing = lookup(clusters, namespace, name);
      return existing !== undefined && !isBeingRestored(existing) && identityOf(existing) === identityOf(source);
    });
  return new Set(found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
}

function clusterKeyOf(part: KubeObject): string {
  const { spec } = part as KubeObject & { readonly spec: { readonly clusterName: string } };
  return `${part.metadata.namespace}/${spec.clusterName}`;
}

/** A namespace often exists already; the operator's Fairway annotations on both must match. */
function namespaceStep(source: KubeObject, existing: KubeObject, overwrite: boolean): Step | string {
  const type = Namespaces;
  const annotations = added(source.metadata.annotations, existing.metadata.annotations, overwrite);
  const labels = added(source.metadata.labels, existing.metadata.labels, overwrite);
  const differingKeys = [...annotations.differingKeys, ...labels.differingKeys];
  if (differingKeys.length > 0) return `it exists and differs in ${differingKeys.join(', ')}`;
  const metadata = { ...annotations.entries, ...labels.entries };
  if (Object.keys(metadata).length === 0) return { type, source, action: 'keep', existing };
  const value = { annotations: annotations.entries, labels: labels.entries };
  return { type, source, action: 'annotate', existing, metadata: value };
}

/** Entries to write: Fairway's own, and those that are missing from the target. */
function added(
  requiredAnnotations: Readonly<Record<string, string>> = {},
  held: Readonly<Record<string, string>> = {},
  overwrite: boolean,
): { readonly entries: Readonly<Record<string, string>>; readonly differingKeys: readonly string[] } {
  const changed = Object.entries(requiredAnnotations).filter(([key, value]) => held[key] !== value);
  const differingKeys = changed
    .map(([key]) => key)
    .filter((key) => key.startsWith(`${GROUP}/`) && held[key] !== undefined);
  const entries = changed.filter(([key]) => held[key] === undefined || (overwrite && differingKeys.includes(key)));
  return { entries: Object.fromEntries(entries), differingKeys: overwrite ? [] : differingKeys };
}
