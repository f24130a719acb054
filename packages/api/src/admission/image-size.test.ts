import { describe, expect, test } from 'vitest';
import { aCluster, aNodePool } from '../testing/objects.ts';
import type { CloudCatalogue } from './cloud-catalogue.ts';
import { clusterImageErrors, imageSizeErrors } from './image-size.ts';

const image = { visibility: 'public' as const, isActive: true, minDiskGiB: 3, minMemoryMiB: 0 };
const catalogue: CloudCatalogue = {
  flavors: [
    { id: 'f1', name: 'small', vcpus: 2, memoryMiB: 4096, diskGiB: 10 },
    { id: 'f2', name: 'diskless', vcpus: 2, memoryMiB: 4096, diskGiB: 0 },
  ],
  images: [
    { ...image, id: 'i1', name: 'Ubuntu 24.04', os: 'ubuntu 24.04', minDiskGiB: 20 },
    { ...image, id: 'i2', name: 'large', minMemoryMiB: 8192 },
    { ...image, id: 'i3', name: 'tiny' },
  ],
};
const inherited = aCluster({ image: 'tiny' });

describe('the image of a pool', () => {
  test.each([
    {
      reason: "the cloud's default",
      spec: { flavor: 'small' },
      detail: 'needs a disk of 20 GiB, but the nodes have 10',
    },
    {
      reason: 'the root volume is large enough',
      spec: { flavor: 'small', rootVolume: { sizeGiB: 20 } },
      detail: undefined,
    },
    {
      reason: 'the root volume is too small',
      spec: { flavor: 'diskless', rootVolume: { sizeGiB: 10 } },
      detail: 'nodes have 10',
    },
    { reason: 'a missing disk is reported elsewhere', spec: { flavor: 'diskless' }, detail: undefined },
    {
      reason: 'memory',
      spec: { flavor: 'small', image: 'large' },
      detail: 'needs 8192 MiB of memory, but flavor "small" has 4096',
    },
    { reason: "the cluster's image", spec: { flavor: 'small' }, cluster: inherited, detail: undefined },
    {
      reason: "the operator's default image",
      spec: { flavor: 'small' },
      more: { defaultImage: 'tiny' },
      detail: undefined,
    },
    {
      reason: 'the image of the operator is too large',
      spec: { flavor: 'small' },
      more: { defaultImage: 'large' },
      detail: 'memory',
    },
    { reason: 'the images are unknown', spec: { flavor: 'small' }, more: { images: undefined }, detail: undefined },
  ])('is validated against the flavor: $reason', ({ spec, cluster = aCluster(), more = {}, detail }) => {
    const errors = imageSizeErrors(aNodePool(spec), cluster, undefined, { ...catalogue, ...more } as CloudCatalogue);
    const isReported = errors.map((error) => detail !== undefined && error.detail.includes(detail));
    expect(isReported).toEqual(detail === undefined ? [] : [true]);
  });

  test('is validated together with the new image of the cluster', () => {
    const pools = [aNodePool({ flavor: 'small' }), aNodePool({ flavor: 'small', image: 'tiny' }, { name: 'other' })];
    expect(clusterImageErrors(aCluster({ image: 'large' }), pools, catalogue)).toEqual([
      expect.objectContaining({
        field: 'spec.image',
        detail: expect.stringMatching(/^node pool "general" uses it: image "large" needs 8192 MiB/),
      }),
    ]);
  });
});
