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
const ofCloud = image('cloud');

describe('without a name', () => {
  test.each<{ reason: string; images: CatalogueImage[]; chosen: string | undefined }>([
    { reason: 'the newest public one', images: [ofCloud, image('new', LATER)], chosen: 'new' },
    { reason: 'no snapshot', images: [ofCloud, image('copy', { ...LATER, isSnapshot: true })], chosen: 'cloud' },
    {
      reason: 'none of the project',
      images: [ofCloud, image('own', { ...LATER, visibility: 'private' })],
      chosen: 'cloud',
    },
    { reason: 'none that is shared', images: [image('other', { visibility: 'shared' })], chosen: undefined },
    { reason: 'none of the community', images: [image('any', { visibility: 'community' })], chosen: undefined },
    { reason: 'a snapshot not even alone', images: [image('copy', { isSnapshot: true })], chosen: undefined },
    {
      reason: 'an older LTS rather than a copy',
      images: [image('copy', { isSnapshot: true }), image('old', { os: 'ubuntu 22.04' })],
      chosen: 'old',
    },
    { reason: 'none that cannot be booted', images: [image('gone', { isActive: false })], chosen: undefined },
    { reason: 'no other system', images: [image('win', { os: 'windows 2025' })], chosen: undefined },
  ])('it is $chosen: $reason', ({ images, chosen }) => {
    expect(chooseImage(images, undefined)?.id).toBe(chosen);
  });
});

describe('with a name', () => {
  const own = image('own', { ...LATER, visibility: 'private' });
  const copy = image('copy', { ...LATER, visibility: 'private', isSnapshot: true });
  const shared = image('shared', { ...LATER, visibility: 'shared' });
  const community = image('any', { ...LATER, visibility: 'community' });

  test.each([
    {
      reason: 'public before newer ones of the project',
      images: [own, shared, community, copy, ofCloud],
      chosen: 'cloud',
    },
    {
      reason: "a public snapshot before the project's own",
      images: [own, image('gold', { isSnapshot: true })],
      chosen: 'gold',
    },
    { reason: "the project's own before others'", images: [community, shared, own, copy], chosen: 'own' },
    { reason: 'a snapshot if nothing else has the name', images: [copy], chosen: 'copy' },
    { reason: 'the newest of equals', images: [ofCloud, image('new', LATER)], chosen: 'new' },
  ])('it is $chosen: $reason', ({ images, chosen }) => {
    expect(chooseImage(images, 'Ubuntu 24.04')?.id).toBe(chosen);
    expect(chooseImage(images.toReversed(), 'Ubuntu 24.04')?.id).toBe(chosen);
  });

  test('an id means that image, hidden or a snapshot', () => {
    const hidden = image('hidden', { isActive: false, isHidden: true });
    expect(chooseImage([ofCloud, copy, hidden], 'copy')?.id).toBe('copy');
    expect(chooseImage([ofCloud, copy, hidden], 'hidden')?.id).toBe('hidden');
    expect(chooseImage([image('gone', { isActive: false })], 'gone')).toBeUndefined();
  });
});
