import type { VolumeSnapshotClass } from '@fairway/kube/kinds/volume-snapshots';
import { DRIVER } from '../volumes/driver.ts';
import { IS_DEFAULT_ANNOTATION } from './snapshot-names.ts';

/** The class of a VolumeSnapshot, or the reason why it has none. */
export type ClassChoice =
  | { readonly kind: 'class'; readonly snapshotClass: VolumeSnapshotClass }
  | { readonly kind: 'refuse'; readonly message: string };

/** The specified class, or the driver's default. Pure. */
export function chooseClass(name: string | undefined, classes: readonly VolumeSnapshotClass[]): ClassChoice {
  if (name !== undefined) {
    const named = classes.find(({ metadata }) => metadata.name === name);
    return named ? { kind: 'class', snapshotClass: named } : refuse(`there is no VolumeSnapshotClass "${name}"`);
  }
  const [first, ...others] = classes.filter(isDefault);
  if (first === undefined) {
    return refuse(
      `spec.volumeSnapshotClassName is not set, and no VolumeSnapshotClass of driver ${DRIVER} has the annotation ${IS_DEFAULT_ANNOTATION}: "true"`,
    );
  }
  if (others.length === 0) return { kind: 'class', snapshotClass: first };
  const names = [first, ...others].map(({ metadata }) => metadata.name ?? '').sort();
  return refuse(
    `${names.length} VolumeSnapshotClasses of driver ${DRIVER} are marked as default: ${names.slice(0, 10).join(', ')}`,
  );
}

function isDefault({ metadata, driver }: VolumeSnapshotClass): boolean {
  return driver === DRIVER && metadata.annotations?.[IS_DEFAULT_ANNOTATION] === 'true';
}

function refuse(message: string): ClassChoice {
  return { kind: 'refuse', message };
}
