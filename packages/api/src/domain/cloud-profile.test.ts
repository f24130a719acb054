import { expect, test } from 'vitest';
import type { CloudCatalogue } from '../admission/cloud-catalogue.ts';
import { cloudProfileContent, MAX_ENTRIES } from './cloud-profile.ts';

const FLAVORS = [
  { id: '2', name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 },
  { id: '1', name: 'b3-4', vcpus: 2, memoryMiB: 4096, diskGiB: 0 },
];
const FULL_CATALOGUE: CloudCatalogue = {
  regions: ['GRA'],
  zones: ['b', 'a'],
  flavors: FLAVORS,
  images: [
    { id: 'u', name: 'Ubuntu', minDiskGiB: 10, minMemoryMiB: 0, os: 'ubuntu 24.04', isActive: true },
    { id: 'q', name: 'Queued', minDiskGiB: 0, minMemoryMiB: 0, isActive: false },
  ],
  networks: [
    { id: 'n', name: 'mine', isExternal: false },
    { id: 'e', name: 'public', isExternal: true },
  ],
  subnets: [
    { id: 's', name: 'v4', networkID: 'n', cidr: '10.0.0.0/24', ipVersion: 4 },
    { id: 't', name: 'v6', networkID: 'n', cidr: 'fd00::/64', ipVersion: 6 },
  ],
  quotas: { instances: { limit: 10, used: 3 }, cores: { limit: -1, used: 6 } },
};

test('lists what can be selected, in a stable order', () => {
  expect(cloudProfileContent(FULL_CATALOGUE, undefined)).toEqual({
    region: 'GRA',
    zones: ['a', 'b'],
    flavors: [FLAVORS[1], FLAVORS[0]].map((flavor) => ({ ...flavor })),
    images: [{ id: 'u', name: 'Ubuntu', os: 'ubuntu 24.04', minDiskGiB: 10, minMemoryMiB: 0 }],
    networks: [{ id: 'n', name: 'mine', subnets: [{ id: 's', name: 'v4', cidr: '10.0.0.0/24' }] }],
    externalNetworks: [{ id: 'e', name: 'public' }],
    quotas: [
      { name: 'instances', limit: 10, used: 3 },
      { name: 'cores', limit: -1, used: 6 },
    ],
  });
});

test('keeps the previous list if the cloud did not return one', () => {
  const before = cloudProfileContent(FULL_CATALOGUE, undefined);
  const { flavors: _, subnets: __, ...partial } = FULL_CATALOGUE;

  expect(cloudProfileContent(partial, before)).toEqual(before);
  expect(cloudProfileContent({}, before)).toEqual(before);
  expect(cloudProfileContent({}, undefined)).toEqual({});
});

test('keeps the quotas of a service that did not respond', () => {
  const before = cloudProfileContent(FULL_CATALOGUE, undefined);
  const quotas = { floatingIPs: { limit: 50, used: 4 }, cores: { limit: 20, used: 8 } };

  expect(cloudProfileContent({ ...FULL_CATALOGUE, quotas }, before).quotas).toEqual([
    { name: 'instances', limit: 10, used: 3 },
    { name: 'cores', limit: 20, used: 8 },
    { name: 'floatingIPs', limit: 50, used: 4 },
  ]);
});

test('truncates a long list, and records the truncation until the list is short enough again', () => {
  const flavors = Array.from({ length: MAX_ENTRIES + 5 }, (_, index) => ({ ...FLAVORS[0], id: `${index}`, name: 'f' }));
  const cut = cloudProfileContent({ ...FULL_CATALOGUE, flavors: flavors as typeof FLAVORS }, undefined);

  expect(cut.flavors).toHaveLength(MAX_ENTRIES);
  expect(cut.truncated).toEqual([{ list: 'flavors', total: MAX_ENTRIES + 5 }]);
  expect(cloudProfileContent({}, cut)).toEqual(cut);
  expect(cloudProfileContent(FULL_CATALOGUE, cut).truncated).toBeUndefined();
});
