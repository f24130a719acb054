import { describe, expect, test } from 'vitest';
import type { CatalogueImage } from '../admission/cloud-catalogue.ts';
import { chooseImage } from './image-choice.ts';

const image = (id: string, more: Partial<CatalogueImage> = {}): CatalogueImage => ({
  id,
  name: 'Ubuntu 24.04',
  os: 'ubuntu 24.04',
  minDiskGiB: 3,
  minMemoryMiB: 0,
  isActive: true,
  visibility: 'public',
  createdAt: '2026-01-01T00:00:00Z',
  ...more,
});
const LATER = { createdAt: '2026-06-01T00:00:00Z' };
const cloudImage = image('cloud');

describe('image selection without a name', () => {
  test.each<{ reason: string; images: CatalogueImage[]; chosen: string | undefined }>([
    { reason: 'the newest public image', images: [cloudImage, image('new', LATER)], chosen: 'new' },
    { reason: 'no snapshot', images: [cloudImage, image('copy', { ...LATER, isSnapshot: true })], chosen: 'cloud' },
    {
      reason: 'no private image of the project',
      images: [cloudImage, image('own', { ...LATER, visibility: 'private' })],
      chosen: 'cloud',
    },
    { reason: 'no shared image', images: [image('other', { visibility: 'shared' })], chosen: undefined },
    { reason: 'no community image', images: [image('any', { visibility: 'community' })], chosen: undefined },
    {
      reason: 'no snapshot, even if it is the only image',
      images: [image('copy', { isSnapshot: true })],
      chosen: undefined,
    },
    {
      reason: 'an older LTS rather than a snapshot',
      images: [image('copy', { isSnapshot: true }), image('old', { os: 'ubuntu 22.04' })],
      chosen: 'old',
    },
    { reason: 'no image that cannot be booted', images: [image('gone', { isActive: false })], chosen: undefined },
    { reason: 'no other operating system', images: [image('win', { os: 'windows 2025' })], chosen: undefined },
  ])('selects $chosen: $reason', ({ images, chosen }) => {
    expect(chooseImage(images, undefined)?.id).toBe(chosen);
  });
});

describe('image selection by name', () => {
  const own = image('own', { ...LATER, visibility: 'private' });
  const copy = image('copy', { ...LATER, visibility: 'private', isSnapshot: true });
  const shared = image('shared', { ...LATER, visibility: 'shared' });
  const community = image('any', { ...LATER, visibility: 'community' });

  test.each([
    {
      reason: 'a public image rather than newer ones of the project',
      images: [own, shared, community, copy, cloudImage],
      chosen: 'cloud',
    },
    {
      reason: 'a public snapshot rather than an image of the project',
      images: [own, image('gold', { isSnapshot: true })],
      chosen: 'gold',
    },
    {
      reason: 'an image of the project rather than images of other projects',
      images: [community, shared, own, copy],
      chosen: 'own',
    },
    { reason: 'a snapshot if no other image has the name', images: [copy], chosen: 'copy' },
    { reason: 'the newest of equal images', images: [cloudImage, image('new', LATER)], chosen: 'new' },
  ])('selects $chosen: $reason', ({ images, chosen }) => {
    expect(chooseImage(images, 'Ubuntu 24.04')?.id).toBe(chosen);
    expect(chooseImage(images.toReversed(), 'Ubuntu 24.04')?.id).toBe(chosen);
  });

  test('selects an image by ID even if it is hidden or a snapshot', () => {
    const hidden = image('hidden', { isActive: false, isHidden: true });
    expect(chooseImage([cloudImage, copy, hidden], 'copy')?.id).toBe('copy');
    expect(chooseImage([cloudImage, copy, hidden], 'hidden')?.id).toBe('hidden');
    expect(chooseImage([image('gone', { isActive: false })], 'gone')).toBeUndefined();
  });
});
