import type { CatalogueImage } from '@fairway/api/admission/cloud-catalogue';
import type { Image } from '@fairway/openstack/types/image';

/** Properties of a Glance image that matter for selecting it. */
export function catalogueImage(image: Image): CatalogueImage {
  return {
    id: image.id,
    name: image.name ?? '',
    minDiskGiB: image.min_disk,
    minMemoryMiB: image.min_ram,
    isActive: image.status === 'active' && !image.os_hidden,
    isHidden: image.status === 'active' && image.os_hidden,
    visibility: image.visibility,
    isSnapshot: isSnapshot(image),
    createdAt: image.created_at,
    ...osOf(image),
  };
}

/**
 * Properties that Nova sets on images created from servers: `image_type` and, for servers booted from volumes, their
 * snapshots.
 */
function isSnapshot(image: Image): boolean {
  const type = image['image_type'];
  const hasCreationDate = ['base_image_ref', 'instance_uuid', 'block_device_mapping'].some((key) =>
    Boolean(image[key]),
  );
  return type === 'snapshot' || type === 'backup' || hasCreationDate;
}

/** Images of Ubuntu, Debian and other distributions describe themselves in these properties. */
function osOf(image: Image): { readonly os?: string } {
  const words = [image['os_distro'], image['os_version']].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? {} : { os: words.join(' ') };
}
