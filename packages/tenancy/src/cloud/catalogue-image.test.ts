import { Image } from '@fairway/openstack/types/image';
import { expect, test } from 'vitest';
import { catalogueImage } from './catalogue-image.ts';

const AT = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };

test.each([
  { reason: 'an uploaded image', properties: { os_distro: 'ubuntu' }, isSnapshot: false },
  { reason: 'a snapshot of a server', properties: { image_type: 'snapshot' }, isSnapshot: true },
  { reason: 'a backup of a server', properties: { image_type: 'backup' }, isSnapshot: true },
  { reason: 'a snapshot of a server without the type property', properties: { base_image_ref: 'x' }, isSnapshot: true },
  { reason: 'a snapshot of a server, by the server’s ID', properties: { instance_uuid: 'x' }, isSnapshot: true },
  {
    reason: 'a snapshot of a server that boots from a volume',
    properties: { base_image_ref: '', bdm_v2: 'True', block_device_mapping: '[{"snapshot_id": "x"}]' },
    isSnapshot: true,
  },
])('recognizes a snapshot ($isSnapshot): $reason', ({ properties, isSnapshot }) => {
  const image = Image.parse({ id: 'i', name: 'n', status: 'active', visibility: 'public', ...AT, ...properties });
  expect(catalogueImage(image)).toMatchObject({ isSnapshot, visibility: 'public', isActive: true });
});
