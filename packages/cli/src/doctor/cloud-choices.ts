import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { VolumeType } from '@fairway/openstack/types/block-storage';
import type { Flavor } from '@fairway/openstack/types/compute';
import type { Image } from '@fairway/openstack/types/image';
import type { Network } from '@fairway/openstack/types/network';
import { known, mapped, type ObservedValue } from './observed-value.ts';

/** Something in the cloud that Plans refer to by name or ID. */
export interface NamedItem {
  readonly id: string;
  readonly name: string;
}

export interface ObservedVolumeType extends NamedItem {
  /** Whether its volumes can be attached to several servers. */
  readonly isMultiattach: boolean;
}

/** Everything that the project can see; also images and networks of its own. */
export interface CloudChoices {
  readonly flavors: ObservedValue<readonly NamedItem[]>;
  readonly images: ObservedValue<readonly NamedItem[]>;
  readonly networks: ObservedValue<readonly NamedItem[]>;
  readonly volumeTypes: ObservedValue<readonly ObservedVolumeType[]>;
  /** Maximum number of volume snapshots of the project; -1 for unlimited, undefined if Cinder does not report it. */
  readonly maxVolumeSnapshots: ObservedValue<number | undefined>;
}

/** The lists of a cloud, each read once. */
export interface ChoiceLists {
  readonly flavors: Promise<ObservedValue<readonly Flavor[]>>;
  readonly images: Promise<ObservedValue<readonly Image[]>>;
  readonly networks: Promise<ObservedValue<readonly Network[]>>;
  readonly volumeTypes: Promise<ObservedValue<readonly VolumeType[]>>;
  readonly maxVolumeSnapshots: Promise<ObservedValue<number | undefined>>;
}

/** Starts to read the lists. The promises do not reject. */
export function listChoices({ compute, images, network, blockStorage }: OpenStackClient): ChoiceLists {
  return {
    flavors: known(() => Array.fromAsync(compute.flavors.list())),
    images: known(() => Array.fromAsync(images.list({ status: 'active' }))),
    networks: known(() => Array.fromAsync(network.networks.list())),
    volumeTypes: known(() => blockStorage.volumeTypes()),
    maxVolumeSnapshots: known(async () => (await blockStorage.limits()).maxTotalSnapshots),
  };
}

export async function observeChoices(lists: ChoiceLists): Promise<CloudChoices> {
  return {
    flavors: await mapped(lists.flavors, (flavors) => flavors.map(named)),
    images: await mapped(lists.images, (images) => images.map(named)),
    networks: await mapped(lists.networks, (networks) => networks.map(named)),
    volumeTypes: await mapped(lists.volumeTypes, (types) =>
      types.map((type) => ({ ...named(type), isMultiattach: isMultiattach(type) })),
    ),
    maxVolumeSnapshots: await lists.maxVolumeSnapshots,
  };
}

function named({ id, name }: { readonly id: string; readonly name?: string | null | undefined }): NamedItem {
  return { id, name: name || id };
}

/** Cinder's notation of a required back end capability. */
function isMultiattach({ extra_specs }: VolumeType): boolean {
  return /^<is>\s*true$/i.test(extra_specs?.['multiattach'] ?? '');
}
