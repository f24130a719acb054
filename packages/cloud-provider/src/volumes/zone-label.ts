import { namesWithLabel } from '@fairway/kube/object/label-value';

/** Zone names of a cloud. */
interface ZoneNames {
  /** Cinder's. */
  readonly volumeZones: readonly string[];
  /** Nova's. */
  readonly computeZones: readonly string[];
}

/** The Cinder zone for nodes with a zone label. */
export type ZoneOfLabel =
  | { readonly kind: 'zone'; readonly name: string }
  /** Cinder does not have this zone: its volumes can be attached to servers in every zone. */
  | { readonly kind: 'none' }
  /** Several zones have this label, so it does not determine a node's zone. */
  | { readonly kind: 'ambiguous'; readonly message: string };

/** Pure. */
export function zoneOfLabel(label: string, { volumeZones, computeZones }: ZoneNames): ZoneOfLabel {
  const [name] = namesWithLabel(label, volumeZones);
  if (name === undefined) return { kind: 'none' };
  const all = namesWithLabel(label, [...volumeZones, ...computeZones]);
  if (all.length === 1) return { kind: 'zone', name };
  const names = all.slice(0, 20).map((each) => `"${each}"`);
  return {
    kind: 'ambiguous',
    message: `the zones ${names.join(' and ')} have the same label "${label}": specify the volume's zone with the parameter "availability" of the class, or ask the cloud operator to rename one`,
  };
}
