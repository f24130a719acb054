import type { PersistentVolume, PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import type { VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import { VolumeSnapshots } from '@fairway/kube/kinds/volume-snapshots';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { DRIVER } from '../volumes/driver.ts';
import { chooseClass } from './snapshot-class.ts';
import { CONTENT_FINALIZER, contentNameOf } from './snapshot-names.ts';

/** What a VolumeSnapshot depends on, as its cluster has it. */
export interface BindingFacts {
  /** The VolumeSnapshotContent of `contentNameFor`. */
  readonly content: VolumeSnapshotContent | undefined;
  /** The claim that it is of. */
  readonly claim: PersistentVolumeClaim | undefined;
  /** The volume of that claim. */
  readonly volume: PersistentVolume | undefined;
  readonly classes: readonly VolumeSnapshotClass[];
}

/** What is to be done about a VolumeSnapshot that is not being deleted. */
export type BindingStep =
  /** Its content is to be made. */
  | { readonly kind: 'create'; readonly content: VolumeSnapshotContent }
  /** Its content, which somebody else wrote, is to name it. */
  | { readonly kind: 'bind'; readonly content: VolumeSnapshotContent }
  /** It is bound, and says what its content says. */
  | { readonly kind: 'follow'; readonly content: VolumeSnapshotContent }
  /** `reason` of the event, as snapshot-controller has it. */
  | { readonly kind: 'refuse'; readonly reason: string; readonly message: string }
  /** Another driver's, which Fairway does not bind. */
  | { readonly kind: 'foreign'; readonly message: string };

/** Of the VolumeSnapshotContent that the VolumeSnapshot names, or that is made for it; undefined for one without a source. Pure. */
export function contentNameFor({ metadata, spec }: VolumeSnapshot): string | undefined {
  if (spec.source.volumeSnapshotContentName) return spec.source.volumeSnapshotContentName;
  return spec.source.persistentVolumeClaimName ? contentNameOf(metadata.uid ?? '') : undefined;
}

/** As snapshot-controller decides. Pure. */
export function bindingStep(snapshot: VolumeSnapshot, facts: BindingFacts): BindingStep {
  const { volumeSnapshotContentName: contentName, persistentVolumeClaimName: claimName } = snapshot.spec.source;
  if (Boolean(contentName) === Boolean(claimName)) {
    const message = 'spec.source has to name one of persistentVolumeClaimName and volumeSnapshotContentName';
    return refuse('SnapshotValidationError', message);
  }
  const { content } = facts;
  if (content && content.spec.driver !== DRIVER)
    return foreign(`VolumeSnapshotContent ${content.metadata.name}`, content.spec.driver);
  if (contentName) return stepToThere(snapshot, contentName, content);
  return content ? stepToMade(snapshot, content) : stepToMake(snapshot, claimName ?? '', facts);
}

/** Whether both name each other. Pure. */
export function isBoundTo({ metadata }: VolumeSnapshot, { spec }: VolumeSnapshotContent): boolean {
  return isNamed(metadata, spec) && spec.volumeSnapshotRef.uid === metadata.uid;
}

function isNamed(
  { name, namespace }: VolumeSnapshot['metadata'],
  { volumeSnapshotRef }: VolumeSnapshotContent['spec'],
) {
  return volumeSnapshotRef.name === name && volumeSnapshotRef.namespace === namespace;
}

function stepToThere(snapshot: VolumeSnapshot, name: string, content: VolumeSnapshotContent | undefined): BindingStep {
  if (content === undefined) return refuse('SnapshotContentMissing', `there is no VolumeSnapshotContent ${name}`);
  const { source, volumeSnapshotRef } = content.spec;
  if (!source.snapshotHandle) {
    const message = `VolumeSnapshotContent ${name} has no spec.source.snapshotHandle: it was made for another VolumeSnapshot`;
    return refuse('SnapshotContentMismatch', message);
  }
  if (isBoundTo(snapshot, content)) return { kind: 'follow', content };
  if (isNamed(snapshot.metadata, content.spec) && !volumeSnapshotRef.uid) return { kind: 'bind', content };
  return misbound(content);
}

function stepToMade(snapshot: VolumeSnapshot, content: VolumeSnapshotContent): BindingStep {
  if (!content.spec.source.volumeHandle) {
    const message = `VolumeSnapshotContent ${content.metadata.name} was not made for this VolumeSnapshot: it has a spec.source.snapshotHandle`;
    return refuse('SnapshotContentMismatch', message);
  }
  return isBoundTo(snapshot, content) ? { kind: 'follow', content } : misbound(content);
}

function misbound({ metadata, spec: { volumeSnapshotRef: to } }: VolumeSnapshotContent): BindingStep {
  const message = `VolumeSnapshotContent ${metadata.name} is for another VolumeSnapshot: ${to.namespace}/${to.name}${to.uid ? `, uid ${to.uid}` : ''}`;
  return refuse('SnapshotContentMisbound', message);
}

function stepToMake(
  snapshot: VolumeSnapshot,
  claimName: string,
  { claim, volume, classes }: BindingFacts,
): BindingStep {
  const { metadata, spec, status } = snapshot;
  if (status?.readyToUse === true) {
    // Another one would be of another moment.
    const name = status.boundVolumeSnapshotContentName ?? contentNameOf(metadata.uid ?? '');
    return refuse('SnapshotContentMissing', `there is no VolumeSnapshotContent ${name} any more`);
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
  if (volume.spec.csi?.driver !== DRIVER) {
    return foreign(`PersistentVolumeClaim ${claimName}`, volume.spec.csi?.driver ?? 'no CSI driver');
  }
  if (claim.metadata.deletionTimestamp !== undefined) {
    return failed(`PersistentVolumeClaim ${claimName} is being deleted`);
  }
  const chosen = choice ?? chooseClass(undefined, classes);
  if (chosen.kind === 'refuse') return failed(chosen.message);
  return { kind: 'create', content: contentFor(snapshot, volume, chosen.snapshotClass) };
}

/** As snapshot-controller writes it. */
function contentFor(
  { metadata }: VolumeSnapshot,
  { spec }: PersistentVolume,
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
      source: { volumeHandle: spec.csi?.volumeHandle ?? '' },
      sourceVolumeMode: spec.volumeMode ?? 'Filesystem',
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
  const message = `${what} is of ${driver}, and Fairway makes snapshots of ${DRIVER} alone: other drivers need a snapshot-controller of your own`;
  return { kind: 'foreign', message };
}
