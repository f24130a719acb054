import { expect, test } from 'vitest';
import { FULL_CLOUD, withoutService } from '../testing/full-cloud.ts';
import { capabilitiesOf } from './cloud-capabilities.ts';
import type { CloudObservation } from './cloud-observation.ts';

test('reports every capability of a complete cloud', () => {
  expect(capabilitiesOf(FULL_CLOUD).filter(({ offered }) => offered !== 'yes')).toEqual([]);
  expect(capabilitiesOf(FULL_CLOUD).flatMap(({ missing }) => missing)).toEqual([]);
});

test.each<[change: Partial<CloudObservation>, capability: string, offered: string, missing: RegExp, reason: string]>([
  [withoutService('image'), 'nodes', 'no', /^Glance: the catalog has no image service$/, 'nothing to boot'],
  [
    { flavors: { value: [{ id: 's', name: 's', vcpus: 1, memoryMiB: 1024, diskGiB: 10 }] } },
    'nodes',
    'no',
    /no flavor/,
    'too small',
  ],
  [
    { extensions: { value: ['router', 'external-net', 'security-group'] } },
    'nodes',
    'no',
    /standard-attr-tag/,
    'tags say who owns what',
  ],
  [
    { images: { value: [{ id: 'w', name: 'win', distro: 'windows', version: '11' }] } },
    'nodes',
    'partly',
    /os_distro/,
    'an image has to be named',
  ],
  [{ externalNetworks: { value: [] } }, 'nodes', 'partly', /external network/, 'a way out has to be brought'],
  [
    { quotas: { value: [{ what: 'cores', limit: 8, used: 8 }] } },
    'nodes',
    'partly',
    /8 cores is used up/,
    'no headroom',
  ],
  [{ quotas: { value: [{ what: 'floating IPs', limit: 0, used: 0 }] } }, 'nodes', 'yes', /^$/, 'nodes need none'],
  [{ quotas: { value: [{ what: 'cores', limit: -1, used: 8 }] } }, 'nodes', 'yes', /^$/, 'no limit'],
  [withoutService('load-balancer'), 'load balancers, L4', 'no', /^Octavia/, 'Octavia is L4'],
  [{ loadBalancerProviders: { value: ['ovn'] } }, 'load balancers, L4', 'yes', /^$/, 'OVN knows connections'],
  [{ loadBalancerProviders: { value: ['ovn'] } }, 'load balancers, L7', 'no', /enable amphora/, 'and no requests'],
  [withoutService('block-storage'), 'volumes, RWO', 'no', /^Cinder/, 'Cinder is RWO'],
  [{ shareTypes: { value: [] } }, 'volumes, RWX', 'partly', /no share type/, 'Manila without a type makes nothing'],
  [withoutService('dns'), 'DNS', 'no', /^Designate/, 'Designate is DNS'],
  [
    { ...withoutService('dns'), extensions: { value: ['dns-integration'] } },
    'DNS',
    'partly',
    /^Designate/,
    'names inside alone',
  ],
  [withoutService('key-manager'), 'key management', 'no', /^Barbican/, 'Barbican keeps keys'],
  [
    { externalNetworks: { value: [{ name: 'p', isDefault: true, ipVersions: [4] }] } },
    'dual stack',
    'partly',
    /no IPv6|IPv6 subnet/,
    'no way out',
  ],
  [
    { externalNetworks: { value: [{ name: 'p', isDefault: true, ipVersions: undefined }] } },
    'dual stack',
    'partly',
    /not visible/,
    'not shown',
  ],
])('reports whether a cloud with %j offers %s: %s', (change, name, offered, missing) => {
  const capability = capabilitiesOf({ ...FULL_CLOUD, ...change }).find(({ capability }) => capability === name);

  expect(capability?.offered).toBe(offered);
  expect(capability?.missing.join('; ')).toMatch(missing);
});

test('reports a user who may not create the resources of a cluster', () => {
  const value = [
    { what: 'servers', allowed: 'no' as const, detail: 'disallowed by policy' },
    { what: 'networks', allowed: 'unknown' as const, detail: 'quota exceeded' },
    { what: 'application credentials', allowed: 'no' as const, detail: 'restricted' },
  ];

  const [nodes] = capabilitiesOf({ ...FULL_CLOUD, permissions: { value } });

  expect(nodes).toMatchObject({
    offered: 'partly',
    missing: ['user u may not create servers in project p: give it the role member'],
  });
});
