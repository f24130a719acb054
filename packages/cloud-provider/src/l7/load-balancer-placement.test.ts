import { CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { expect, test } from 'vitest';
import { ANNOTATION } from '../load-balancers/annotation-names.ts';
import { AnnotationReader } from '../load-balancers/annotation-reader.ts';
import { settingsOf } from '../load-balancers/cluster-settings.ts';
import { loadBalancerPlacement, placementWarning, providerChoice } from './load-balancer-placement.ts';

const ID = '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e';
const OTHER_ID = '0cf8fcd5-65b6-4a0f-a1ad-0a7e8a5e2b9a';

/** The placement with these operator settings in clouds.yaml. */
function settings(written: object, network: object = { subnetID: 'nodes', externalNetworkID: 'external' }) {
  const cluster = { metadata: { name: 'demo' }, status: { network } } as Parameters<typeof settingsOf>[0];
  const found = settingsOf(cluster, { loadBalancers: CloudLoadBalancers.parse(written) });
  if (found === undefined) throw new Error('the cluster has a network');
  return found;
}

function place(written: object, name?: string, network?: object) {
  const annotations = name === undefined ? {} : { [ANNOTATION.class]: name };
  return loadBalancerPlacement(new AnnotationReader(annotations), settings(written, network));
}

test.each<{ written: object; provider?: string; flavorID?: string; reason: string }>([
  { written: {}, reason: 'Octavia decides' },
  {
    written: { provider: 'amphora', flavor_id: ID },
    provider: 'amphora',
    flavorID: ID,
    reason: 'Services use the same provider and flavor',
  },
  { written: { flavor_id: ID }, flavorID: ID, reason: 'the flavor belongs to the default provider' },
  { written: { provider: 'a10' }, provider: 'a10', reason: 'other providers may parse HTTP' },
  {
    written: { provider: 'ovn', flavor_id: ID },
    provider: 'amphora',
    reason: 'OVN does not parse HTTP, and the flavor belongs to OVN',
  },
])('uses provider $provider and flavor $flavorID for $written: $reason', ({ written, provider, flavorID }) => {
  expect(providerChoice(settings(written))).toEqual({ provider, flavorID });
});

const CLASSES = {
  classes: {
    gold: { floating_network_id: ID, floating_subnet_tags: 'gold', network_id: OTHER_ID },
    inside: { subnet_id: ID, member_subnet_id: OTHER_ID },
    near: { floating_subnet_id: OTHER_ID },
  },
};

test('uses the cluster’s network if no class is set', () => {
  expect(place(CLASSES)).toEqual({
    vip: { subnetID: 'nodes', networkID: undefined },
    memberSubnetID: 'nodes',
    floatingIP: { networkID: 'external', subnetID: undefined, subnets: undefined },
  });
  expect(place({}, undefined, { subnetID: 'nodes' }).floatingIP).toBeUndefined();
});

test('uses the networks of its class', () => {
  expect(place(CLASSES, 'gold')).toEqual({
    vip: { subnetID: undefined, networkID: OTHER_ID },
    memberSubnetID: 'nodes',
    floatingIP: { networkID: ID, subnetID: undefined, subnets: { name: undefined, tags: 'gold' } },
  });
  expect(place(CLASSES, 'inside')).toMatchObject({ vip: { subnetID: ID }, memberSubnetID: OTHER_ID });
  expect(place(CLASSES, 'near').floatingIP).toMatchObject({ networkID: 'external', subnetID: OTHER_ID });
});

test('refuses an unknown class, with the names of existing ones', () => {
  expect(() => place(CLASSES, 'iron')).toThrow('class "iron" does not exist; available: gold, inside, near');
});

test('keeps the placement of an existing load balancer, and reports it', () => {
  const existing = { vip_address: '10.0.0.5', vip_subnet_id: 'nodes', vip_network_id: 'net' } as LoadBalancer;

  expect(placementWarning(place(CLASSES), existing)).toBeUndefined();
  expect(placementWarning(place(CLASSES, 'inside'), existing)).toContain('retains its subnet-id');
  expect(placementWarning(place(CLASSES, 'gold'), existing)).toContain('retains its network-id');
});
