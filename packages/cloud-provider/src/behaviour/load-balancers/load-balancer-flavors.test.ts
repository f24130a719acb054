import { createForeignClient } from '@fairway/controllers/testing/foreign-client';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, describe, expect, test } from 'vitest';
import { withoutLists } from '../../load-balancers/testing/call-counts.ts';
import { onlyTree, servedAddresses, warningsOf } from '../../load-balancers/testing/dual-stack.ts';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
const NAME = 'loadbalancer.ovhcloud.com/flavor';
const ID = 'loadbalancer.openstack.org/flavor-id';
const [small] = DEFAULT_CONFIG.loadBalancerFlavors;
const sizes = DEFAULT_CONFIG.loadBalancerFlavors
  .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  .map(({ name }) => name)
  .join(', ');
const HOUR_MS = 3_600_000;

let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

async function withWeb(annotations: Record<string, string>, cloud: object = {}): Promise<void> {
  fairway = await LoadBalancedFairway.start({ cloud: { latency, ...cloud } });
  await fairway.create('web', {}, annotations);
  await fairway.clock.pass(60_000);
}

test.each(['small', 'medium', 'large', 'xl'])(
  'assigns an address to a Service with OVHcloud’s class and the size %s',
  async (size) => {
    await withWeb({ 'loadbalancer.ovhcloud.com/class': 'octavia', [NAME]: size });

    const flavor = DEFAULT_CONFIG.loadBalancerFlavors.find(({ name }) => name === size);
    expect((await servedAddresses(fairway)).at).toHaveLength(1);
    expect((await onlyTree(fairway)).loadBalancer).toMatchObject({ flavor_id: flavor?.id });
    expect(await warningsOf(fairway)).toEqual([]);
  },
);

describe('a flavor that the cloud does not have', () => {
  test.each([
    {
      reason: 'specified by name',
      annotations: { [NAME]: 'gold' },
      cloud: {},
      says: `annotation ${NAME}: "gold": the cloud has no such load balancer flavor; specify one of ${sizes}, remove the annotation to use the cloud's default, or ask the cloud operator to create one (\`openstack loadbalancer flavor create\`)`,
    },
    {
      reason: 'specified by ID',
      annotations: { [ID]: '11111111-2222-4333-8444-555555555555' },
      cloud: {},
      says: `${small?.id} (small), `,
    },
    {
      reason: 'a cloud without flavors',
      annotations: { [NAME]: 'small' },
      cloud: { loadBalancerFlavors: [] },
      says: `annotation ${NAME}: "small": the cloud has no load balancer flavors; remove the annotation to use the cloud's default, or ask the cloud operator to create one (\`openstack loadbalancer flavor create\`)`,
    },
    {
      reason: 'a cloud whose Octavia provider is OVN',
      annotations: { [NAME]: 'small', 'loadbalancer.fairway.dev/provider': 'ovn' },
      cloud: {},
      says: `annotation ${NAME}: provider ovn does not support flavors; use provider amphora, or remove the annotation`,
    },
  ])('is reported with the alternatives and who must act: $reason', async ({ annotations, cloud, says }) => {
    await withWeb(annotations, cloud);
    const { resourceVersion } = (await fairway.get('web')).metadata;
    const calls = fairway.countCalls();
    await fairway.clock.pass(HOUR_MS);

    expect(await fairway.trees()).toEqual([]);
    expect(await servedAddresses(fairway)).toMatchObject({ ready: expect.stringContaining(says) });
    expect(await warningsOf(fairway)).toEqual([expect.stringContaining(says)]);
    expect((await fairway.get('web')).metadata.resourceVersion).toBe(resourceVersion);
    const { 'GET /flavors': flavorReads = 0, ...others } = withoutLists(calls());
    expect(flavorReads).toBeLessThanOrEqual(15);
    expect(others).toEqual({});
  });

  test('is used once the operator has created it', async () => {
    await withWeb({ [NAME]: 'gold' });
    await createForeignClient(fairway.fairway, makeGoldFlavor, 'simulator-admin');
    await fairway.clock.pass(600_000);

    expect((await servedAddresses(fairway)).at).toHaveLength(1);
  });
});

test('an existing load balancer keeps its flavor, reports the difference once, and causes no further flavor queries', async () => {
  await withWeb({ [NAME]: 'small' });
  await fairway.patch('web', { metadata: { annotations: { [NAME]: 'large' } } });
  await fairway.clock.pass(120_000);
  const calls = fairway.countCalls();
  await fairway.clock.pass(HOUR_MS);

  expect(calls()).not.toHaveProperty('GET /flavors');
  expect((await onlyTree(fairway)).loadBalancer).toMatchObject({ flavor_id: small?.id });
  expect(await warningsOf(fairway)).toEqual([expect.stringContaining('an existing load balancer retains its flavor')]);
});

async function makeGoldFlavor({ session }: OpenStackClient): Promise<void> {
  const make = async (path: string, body: object) => {
    const response = await fetch(`${await session.endpoint('load-balancer')}/lbaas/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-token': (await session.token()).id },
      body: JSON.stringify(body),
    });
    if (response.status !== 201) throw new Error(`${path} got ${response.status}: ${await response.text()}`);
    return (await response.json()) as { readonly flavorprofile?: { readonly id: string } };
  };
  const profile = { name: 'gold', provider_name: 'amphora', flavor_data: '{}' };
  const { flavorprofile } = await make('flavorprofiles', { flavorprofile: profile });
  await make('flavors', { flavor: { name: 'gold', flavor_profile_id: flavorprofile?.id } });
}
