import type { Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { compareQuantities, tryParseQuantity, ZERO } from '@fairway/kube/object/quantity';
import { compileLabelSelector, matchesLabels } from '@fairway/kube/object/selector';
import { matchesTerm } from './node-selection.ts';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';

export function classOf({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return metadata.annotations?.[BETA_CLASS] ?? spec.storageClassName ?? '';
}

/** Whether the claim's class has volumeBindingMode WaitForFirstConsumer. */
export function waitsForFirstConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** Whether the volume's own topology admits the node. */
export function admitsNode({ spec }: PersistentVolume, node: Node): boolean {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

export function isClaimedBy({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  const isNamed = claimRef?.namespace === metadata.namespace && claimRef?.name === metadata.name;
  return isNamed && (!claimRef?.uid || claimRef.uid === metadata.uid);
}

/**
 * The smallest volume that satisfies the claim (pkg/controller/volume/persistentvolume FindMatchingVolume); a pre-bound
 * volume takes precedence.
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  node?: Node,
): PersistentVolume | undefined {
  const requested = tryParseQuantity(claim.spec.resources?.requests?.['storage']) ?? ZERO;
  const sizeOf = ({ spec }: PersistentVolume) => tryParseQuantity(spec.capacity?.['storage']) ?? ZERO;
  const matcher = claim.spec.selector && compileLabelSelector(claim.spec.selector);
  const fittingVolumes = volumes.filter((volume) => {
    const { spec, metadata, status } = volume;
    if (metadata.deletionTimestamp !== undefined || compareQuantities(sizeOf(volume), requested) < 0) return false;
    if ((spec.volumeMode ?? 'Filesystem') !== (claim.spec.volumeMode ?? 'Filesystem')) return false;
    if (node && !admitsNode(volume, node)) return false;
    if (spec.claimRef) return isClaimedBy(volume, claim);
    if (status?.phase !== 'Available' && status?.phase !== 'Pending' && status?.phase !== undefined) return false;
    if (classOf(volume) !== classOf(claim)) return false;
    if (matcher && !matchesLabels(matcher, metadata.labels ?? {})) return false;
    return (claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode));
  });
  const reserved = fittingVolumes.find(({ spec }) => spec.claimRef);
  return reserved ?? fittingVolumes.sort((left, right) => compareQuantities(sizeOf(left), sizeOf(right)))[0];
}
