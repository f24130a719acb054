import type { PersistentVolume, PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import { VolumeSnapshots } from '@fairway/kube/kinds/volume-snapshots';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { cinderIdOf, DRIVER } from '../volumes/driver.ts';
import { chooseClass } from './snapshot-class.ts';
import { CONTENT_FINALIZER, contentNameOf } from './snapshot-names.ts';

/** The objects in the cluster that a VolumeSnapshot depends on. */
export interface BindingFacts {
  /** The VolumeSnapshotContent of `contentNameFor`. */
  readonly content: VolumeSnapshotContent | undefined;
  /** The VolumeSnapshot's source claim. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** The volume of that claim. */
  readonly volume: PersistentVolume | undefined;
  readonly classes: readonly VolumeSnapshotClass[];
}

/** The next step for a VolumeSnapshot that is not being deleted. */
export type BindingStep =
  /** Its content must be created. */
  | { readonly kind: 'create'; readonly content: VolumeSnapshotContent }
  /** Its pre-provisioned content must refer to it. */
  | { readonly kind: 'bind'; readonly content: VolumeSnapshotContent }
  /** It is bound and mirrors its content. */
  | { readonly kind: 'follow'; readonly content: VolumeSnapshotContent }
  /** `reason` is the reason of the Event, as in snapshot-controller. */
  | { readonly kind: 'refuse'; readonly reason: string; readonly message: string }
  /** It belongs to another driver; Fairway does not bind it. */
  | { readonly kind: 'foreign'; readonly message: string };

/** Name of the VolumeSnapshotContent that the VolumeSnapshot refers to or that is created for it; undefined without a source. Pure. */
export function contentNameFor({ metadata, spec }: VolumeSnapshot): string | undefined {
  if (spec.source.volumeSnapshotContentName) return spec.source.volumeSnapshotContentName;
  return spec.source.persistentVolumeClaimName ? contentNameOf(metadata.uid ?? '') : undefined;
}

/** Decides as snapshot-controller does. Pure. */
export function bindingStep(snapshot: VolumeSnapshot, facts: BindingFacts): BindingStep {
  const { volumeSnapshotContentName: contentName, persistentVolumeClaimName: claimName } = snapshot.spec.source;
  if (Boolean(contentName) === Boolean(claimName)) {
    const message = 'spec.source must specify either persistentVolumeClaimName or volumeSnapshotContentName';
    return refuse('SnapshotValidationError', message);
  }
  const { content } = facts;
  if (content && content.spec.driver !== DRIVER)
    return foreign(`VolumeSnapshotContent ${content.metadata.name}`, content.spec.driver);
  if (contentName) return stepForPreProvisioned(snapshot, contentName, content);
  return content ? stepForProvisioned(snapshot, content) : stepToProvision(snapshot, claimName ?? '', facts);
}

/** Whether a VolumeSnapshot and its content refer to each other. Pure. */
export function isBoundTo({ metadata }: VolumeSnapshot, { spec }: VolumeSnapshotContent): boolean {
  return isNamed(metadata, spec) && spec.volumeSnapshotRef.uid === metadata.uid;
}

function isNamed(
  { name, namespace }: VolumeSnapshot['metadata'],
  { volumeSnapshotRef }: VolumeSnapshotContent['spec'],
) {
  return volumeSnapshotRef.name === name && volumeSnapshotRef.namespace === namespace;
}

function stepForPreProvisioned(
  snapshot: VolumeSnapshot,
  name: string,
  content: VolumeSnapshotContent | undefined,
): BindingStep {
  if (content === undefined) return refuse('SnapshotContentMissing', `there is no VolumeSnapshotContent ${name}`);
  const { source, volumeSnapshotRef } = content.spec;
  if (!source.snapshotHandle) {
    const message = `VolumeSnapshotContent ${name} has no spec.source.snapshotHandle: it was created for another VolumeSnapshot`;
    return refuse('SnapshotContentMismatch', message);
  }
  if (isBoundTo(snapshot, content)) return { kind: 'follow', content };
  if (isNamed(snapshot.metadata, content.spec) && !volumeSnapshotRef.uid) return { kind: 'bind', content };
  return misboundStep(content);
}

function stepForProvisioned(snapshot: VolumeSnapshot, content: VolumeSnapshotContent): BindingStep {
  if (!content.spec.source.volumeHandle) {
    const message = `VolumeSnapshotContent ${content.metadata.name} was not created for this VolumeSnapshot: it has a spec.source.snapshotHandle`;
    return refuse('SnapshotContentMismatch', message);
  }
  return isBoundTo(snapshot, content) ? { kind: 'follow', content } : misboundStep(content);
}

function misboundStep({ metadata, spec: { volumeSnapshotRef: to } }: VolumeSnapshotContent): BindingStep {
  const message = `VolumeSnapshotContent ${metadata.name} is for another VolumeSnapshot: ${to.namespace}/${to.name}${to.uid ? `, uid ${to.uid}` : ''}`;
  return refuse('SnapshotContentMisbound', message);
}

function stepToProvision(
  snapshot: VolumeSnapshot,
  claimName: string,
  { claim, volume, classes }: BindingFacts,
): BindingStep {
  const { metadata, spec, status } = snapshot;
  if (status?.readyToUse === true) {
    // A new content would capture a different point in time.
    const name = status.boundVolumeSnapshotContentName ?? contentNameOf(metadata.uid ?? '');
    return refuse('SnapshotContentMissing', `VolumeSnapshotContent ${name} no longer exists`);
  }
  const choice =
    spec.volumeSnapshotClassName === undefined ? undefined : chooseClass(spec.volumeSnapshotClassName, classes);
  if (choice?.kind === 'class' && choice.snapshotClass.driver !== DRIVER) {
    return foreign(`VolumeSnapshotClass ${spec.volumeSnapshotClassName}`, choice.snapshotClass.driver);
  }
  const failed = (message: string) =>
    refuse('SnapshotContentCreationFailed', `Failed to create snapshot content: ${message}`);
  if (claim === undefined) return failed(`there is no PersistentVolumeClaim ${claimName}`);
  if (claim.status?.phase !== 'Bound' || volume === undefined) {
    return failed(`PersistentVolumeClaim ${claimName} is not bound yet`);
  }
  if (cinderIdOf(volume) === undefined) {
    return foreign(`PersistentVolumeClaim ${claimName}`, volume.spec.csi?.driver ?? 'no CSI driver');
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    return failed(`PersistentVolumeClaim ${claimName} is being deleted`);
  }
  const chosen = choice ?? chooseClass(undefined, classes);
  if (chosen.kind === 'refuse') return failed(chosen.message);
  return { kind: 'create', content: contentFor(snapshot, volume, chosen.snapshotClass) };
}

/** The content of a VolumeSnapshot, as snapshot-controller writes it. */
function contentFor(
  { metadata }: VolumeSnapshot,
  volume: PersistentVolume,
  { metadata: { name: className = '' }, driver, deletionPolicy }: VolumeSnapshotClass,
): VolumeSnapshotContent {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata;
  return {
    apiVersion: apiVersionOf(VolumeSnapshots),
    kind: 'VolumeSnapshotContent',
    metadata: { name: contentNameOf(uid), finalizers: [CONTENT_FINALIZER] },
    spec: {
      deletionPolicy,
      driver,
      source: { volumeHandle: cinderIdOf(volume) ?? '' },
      sourceVolumeMode: volume.spec.volumeMode ?? 'Filesystem',
      volumeSnapshotClassName: className,
      volumeSnapshotRef: {
        apiVersion: apiVersionOf(VolumeSnapshots),
        kind: VolumeSnapshots.kind,
        name,
        namespace,
        uid,
        resourceVersion,
      },
    },
  };
}

function refuse(reason: string, message: string): BindingStep {
  return { kind: 'refuse', reason, message };
}

function foreign(what: string, driver: string): BindingStep {
  const message = `${what} uses driver ${driver}, but Fairway takes snapshots only for ${DRIVER}: other drivers need a snapshot-controller that you run yourself`;
  return { kind: 'foreign', message };
}
