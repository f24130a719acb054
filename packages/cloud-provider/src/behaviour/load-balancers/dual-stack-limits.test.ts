import { resourceCounts } from '@fairway/controllers/testing/cloud-contents';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  assignNodeAddresses,
  DUAL_STACK,
  makeSubnet,
  onlyTree,
  PREFER_DUAL_STACK,
  PROVIDER,
  servedAddresses,
  sourceRangesOf,
  startWithVersion,
  V4,
  V6,
  warningsOf,
} from '../../load-balancers/testing/dual-stack.ts';
import type { LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const HOUR_MS = 3_600_000;
let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

describe('a second address that is not available', () => {
  interface Case {
    readonly is: string;
    readonly version?: number;
    readonly provider?: string;
    readonly hasSubnet?: boolean;
    readonly ranges?: string[];
    readonly message: RegExp;
  }
  const cases: readonly Case[] = [
    {
      is: 'no subnet',
      hasSubnet: false,
      message: /network \S+ has no IPv6 subnet: add one \(`openstack subnet create/,
    },
    {
      is: 'an old Octavia',
      version: 25,
      message: /Octavia has API version 2\.25, and load balancers with two addresses need 2\.26/,
    },
    {
      is: 'an Octavia that does not support source ranges for it',
      version: 26,
      ranges: [V4, V6],
      message: /needs 2\.27; remove it/,
    },
    {
      is: 'an old OVN',
      version: 26,
      provider: 'ovn',
      message: /2\.26, and load balancers with two addresses need 2\.27/,
    },
    {
      is: 'an OVN that cannot mix members',
      version: 27,
      provider: 'ovn',
      message: /provider rejected the request: .* does not support mixing/,
    },
  ];

  async function create({ version, provider, hasSubnet = true, ranges }: Case, families: object): Promise<void> {
    fairway = await startWithVersion(version);
    if (hasSubnet) await assignNodeAddresses(fairway, await makeSubnet(fairway));
    const spec = { ...families, ...(ranges && { loadBalancerSourceRanges: ranges }) };
    await fairway.create('web', spec, provider === undefined ? {} : { [PROVIDER]: provider });
    await fairway.clock.pass(60_000);
  }

  test.each(cases)(
    'is reported for a Service that prefers two addresses and is served at the first one: $is',
    async (each) => {
      await create(each, PREFER_DUAL_STACK);

      expect(await servedAddresses(fairway)).toMatchObject({ at: ['203.0.112.*'], ready: 'True' });
      expect((await onlyTree(fairway)).loadBalancer.additional_vips ?? []).toEqual([]);
      expect((await warningsOf(fairway)).filter((event) => event.startsWith('LoadBalancerSingleStack'))[0]).toMatch(
        each.message,
      );
    },
  );

  test.each(cases)('is reported for a Service that requires two addresses and gets none: $is', async (each) => {
    await create(each, DUAL_STACK);

    expect((await servedAddresses(fairway)).at).toEqual([]);
    expect((await servedAddresses(fairway)).ready).toMatch(
      /^False spec\.ipFamilyPolicy: RequireDualStack: .*; or use PreferDualStack$/,
    );
    expect((await warningsOf(fairway)).join()).toMatch(each.message);
    expect(resourceCounts(fairway.fairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  });

  test.each(cases.filter(({ is }) => is === 'no subnet' || is.startsWith('an OVN')))(
    'costs few calls: $is',
    async (each) => {
      await create(each, DUAL_STACK);
      const { resourceVersion } = (await fairway.get('web')).metadata;
      const sum = () =>
        fairway.fairway.cloud.calls.counts().reduce((total, { method, template, count }) => {
          return total + (method === 'POST' || /subnets|versions/.test(template) ? count : 0);
        }, 0);
      const before = sum();

      await fairway.clock.pass(HOUR_MS);

      expect(sum() - before).toBeLessThanOrEqual(60);
      expect((await fairway.get('web')).metadata.resourceVersion).toBe(resourceVersion);
    },
  );

  test.each([500, 403, 429])(
    'causes few calls while Neutron responds with $0 for subnets for an hour',
    async (status) => {
      fairway = await startWithVersion();
      await makeSubnet(fairway);
      const { cloud } = fairway.fairway;
      cloud.faults.add({ service: 'network', path: '/subnets', times: null, action: { kind: 'answer', status } });
      await fairway.create('web', DUAL_STACK);
      await fairway.clock.pass(600_000);
      const lookups = () =>
        cloud.calls.counts().reduce((all, { template, count }) => all + (template.includes('subnets') ? count : 0), 0);
      const { resourceVersion } = (await fairway.get('web')).metadata;
      const before = lookups();
      await fairway.clock.pass(HOUR_MS);
      const callCount = lookups() - before;
      const { metadata } = await fairway.get('web');
      cloud.faults.clear();
      await fairway.clock.pass(400_000);

      expect(callCount).toBeLessThanOrEqual(120);
      expect(metadata.resourceVersion).toBe(resourceVersion);
      expect(await servedAddresses(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
      expect(resourceCounts(cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    },
  );

  test('appears automatically once its subnet is created', async () => {
    await create({ is: '', hasSubnet: false, message: /./ }, DUAL_STACK);
    await makeSubnet(fairway);
    await fairway.clock.pass(360_000);

    expect(await servedAddresses(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
  });
});

describe('a Service that changes its families', () => {
  beforeEach(async () => {
    fairway = await startWithVersion();
    await makeSubnet(fairway);
  });

  test.each([
    {
      policy: PREFER_DUAL_STACK,
      ready: /^True$/,
      event: /^LoadBalancerSingleStack only IPv4 of spec\.ipFamilies is served: load balancer \S+ has no IPv6 address/,
    },
    {
      policy: DUAL_STACK,
      ready: /^False .*RequireDualStack: load balancer \S+ has no IPv6 address/,
      event: /^SyncLoadBalancerFailed .*RequireDualStack/,
    },
  ])(
    'keeps one family with $policy.ipFamilyPolicy and reports it; a recreated load balancer has both families',
    async ({ policy, ready, event }) => {
      await fairway.create('web', { ipFamilies: ['IPv4'] });
      await fairway.clock.pass(60_000);
      const { loadBalancer } = await onlyTree(fairway);
      const [floatingIp] = await fairway.floatingIps();
      await fairway.patch('web', {
        spec: { ...policy, ports: [{ name: 'p0', port: 81, protocol: 'TCP', nodePort: 30_080 }] },
      });
      await fairway.clock.pass(60_000);
      const kept = await servedAddresses(fairway);
      const grown = await onlyTree(fairway);
      const { resourceVersion } = (await fairway.get('web')).metadata;
      await fairway.clock.pass(HOUR_MS);
      const isUnchanged = (await fairway.get('web')).metadata.resourceVersion === resourceVersion;
      await fairway.octavia.loadBalancers.deleteCascade(loadBalancer.id);
      await fairway.clock.pass(180_000);

      expect(kept.at).toEqual(['203.0.112.*']);
      expect(kept.ready).toMatch(ready);
      expect(await warningsOf(fairway)).toContainEqual(expect.stringMatching(event));
      // The rest of the edit applies.
      expect([grown.loadBalancer.id, ...grown.listeners.map((each) => each.protocol_port)]).toEqual([
        loadBalancer.id,
        81,
      ]);
      expect(isUnchanged).toBe(true);
      expect(await servedAddresses(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
      expect((await fairway.get('web')).status?.loadBalancer?.ingress?.[0]?.ip).toBe(floatingIp?.floating_ip_address);
      expect(resourceCounts(fairway.fairway.cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    },
  );

  test('closes the address of a removed family, and reopens it when the family is restored', async () => {
    await fairway.create('web', DUAL_STACK);
    await fairway.clock.pass(60_000);
    await fairway.patch('web', { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } });
    await fairway.clock.pass(30_000);
    const singleFamily = { ...(await servedAddresses(fairway)), allowed: await sourceRangesOf(fairway) };
    await fairway.patch('web', { spec: DUAL_STACK });
    await fairway.clock.pass(30_000);

    expect(singleFamily).toMatchObject({ at: ['203.0.112.*'], ready: 'True', allowed: [['0.0.0.0/0']] });
    expect(await servedAddresses(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
    expect(await sourceRangesOf(fairway)).toEqual([[]]);
    expect(await warningsOf(fairway)).toEqual([]);
  });
});

test('reports an address that can’t be closed, and refuses source ranges that clients could bypass by using it', async () => {
  fairway = await startWithVersion(26);
  await makeSubnet(fairway);
  await fairway.create('web', DUAL_STACK);
  await fairway.clock.pass(60_000);
  await fairway.patch('web', { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } });
  await fairway.clock.pass(30_000);
  const singleFamily = await servedAddresses(fairway);
  await fairway.patch('web', { spec: { loadBalancerSourceRanges: [V4] } });
  await fairway.clock.pass(30_000);

  expect(singleFamily).toMatchObject({ at: ['203.0.112.*'], ready: 'True' });
  expect(await sourceRangesOf(fairway)).toEqual([[]]);
  expect((await onlyTree(fairway)).loadBalancer.provisioning_status).toBe('ACTIVE');
  expect(await warningsOf(fairway)).toEqual([
    expect.stringMatching(
      /^LoadBalancerUnchanged load balancer \S+ retains its address fd00:7::\S+, which the Service does not request/,
    ),
    expect.stringMatching(
      /^SyncLoadBalancerFailed spec\.loadBalancerSourceRanges: the cloud cannot restrict access to/,
    ),
  ]);
});
