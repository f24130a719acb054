import { holdings } from '@fairway/controllers/testing/cloud-contents';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LoadBalancedFairway } from '../../load-balancers/testing/balanced-fairway.ts';
import {
  addressNodes,
  allowedIn,
  DUAL,
  makeSubnet,
  onlyTree,
  PREFERRED,
  PROVIDER,
  servedOf,
  startWith,
  V4,
  V6,
  warningsOf,
} from '../../load-balancers/testing/dual-stack.ts';

const HOUR_MS = 3_600_000;
let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

describe('if the second address is not possible', () => {
  interface Case {
    readonly is: string;
    readonly version?: number;
    readonly provider?: string;
    readonly hasSubnet?: boolean;
    readonly ranges?: string[];
    readonly says: RegExp;
  }
  const cases: readonly Case[] = [
    {
      is: 'no subnet',
      hasSubnet: false,
      says: /network \S+ has no IPv6 subnet: add one \(`openstack subnet create/,
    },
    {
      is: 'an old Octavia',
      version: 25,
      says: /Octavia has API version 2\.25, and load balancers with two addresses need 2\.26/,
    },
    { is: 'an Octavia that knows no ranges for it', version: 26, ranges: [V4, V6], says: /needs 2\.27; remove it/ },
    { is: 'an old OVN', version: 26, provider: 'ovn', says: /2\.26, and load balancers with two addresses need 2\.27/ },
    {
      is: 'an OVN that mixes no members',
      version: 27,
      provider: 'ovn',
      says: /provider rejected the request: .* does not support mixing/,
    },
  ];

  async function create({ version, provider, hasSubnet = true, ranges }: Case, families: object): Promise<void> {
    fairway = await startWith(version);
    if (hasSubnet) await addressNodes(fairway, await makeSubnet(fairway));
    const spec = { ...families, ...(ranges && { loadBalancerSourceRanges: ranges }) };
    await fairway.create('web', spec, provider === undefined ? {} : { [PROVIDER]: provider });
    await fairway.clock.pass(60_000);
  }

  test.each(cases)('a Service that prefers two is served at the first, and reports it: $is', async (each) => {
    await create(each, PREFERRED);

    expect(await servedOf(fairway)).toMatchObject({ at: ['203.0.112.*'], ready: 'True' });
    expect((await onlyTree(fairway)).loadBalancer.additional_vips ?? []).toEqual([]);
    expect((await warningsOf(fairway)).filter((event) => event.startsWith('LoadBalancerSingleStack'))[0]).toMatch(
      each.says,
    );
  });

  test.each(cases)('a Service that requires two has none, and reports it: $is', async (each) => {
    await create(each, DUAL);

    expect((await servedOf(fairway)).at).toEqual([]);
    expect((await servedOf(fairway)).ready).toMatch(
      /^False spec\.ipFamilyPolicy: RequireDualStack: .*; or use PreferDualStack$/,
    );
    expect((await warningsOf(fairway)).join()).toMatch(each.says);
    expect(holdings(fairway.fairway.cloud)).toMatchObject({ load_balancers: 0, floating_ips: 0 });
  });

  test.each(cases.filter(({ is }) => is === 'no subnet' || is.startsWith('an OVN')))(
    'that costs little: $is',
    async (each) => {
      await create(each, DUAL);
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

  test.each([500, 403, 429])('a Neutron that answers $0 for an hour about subnets gets few calls', async (status) => {
    fairway = await startWith();
    await makeSubnet(fairway);
    const { cloud } = fairway.fairway;
    cloud.faults.add({ service: 'network', path: '/subnets', times: null, action: { kind: 'answer', status } });
    await fairway.create('web', DUAL);
    await fairway.clock.pass(600_000);
    const asked = () =>
      cloud.calls.counts().reduce((all, { template, count }) => all + (template.includes('subnets') ? count : 0), 0);
    const { resourceVersion } = (await fairway.get('web')).metadata;
    const before = asked();
    await fairway.clock.pass(HOUR_MS);
    const cost = asked() - before;
    const { metadata } = await fairway.get('web');
    cloud.faults.clear();
    await fairway.clock.pass(400_000);

    expect(cost).toBeLessThanOrEqual(120);
    expect(metadata.resourceVersion).toBe(resourceVersion);
    expect(await servedOf(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
    expect(holdings(cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
  });

  test('a subnet created later is found automatically', async () => {
    await create({ is: '', hasSubnet: false, says: /./ }, DUAL);
    await makeSubnet(fairway);
    await fairway.clock.pass(360_000);

    expect(await servedOf(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
  });
});

describe('a Service that changes its families', () => {
  beforeEach(async () => {
    fairway = await startWith();
    await makeSubnet(fairway);
  });

  test.each([
    {
      policy: PREFERRED,
      ready: /^True$/,
      event: /^LoadBalancerSingleStack only IPv4 of spec\.ipFamilies is served: load balancer \S+ has no IPv6 address/,
    },
    {
      policy: DUAL,
      ready: /^False .*RequireDualStack: load balancer \S+ has no IPv6 address/,
      event: /^SyncLoadBalancerFailed .*RequireDualStack/,
    },
  ])(
    '$policy.ipFamilyPolicy stays as it is and reports it, and a recreated one has both',
    async ({ policy, ready, event }) => {
      await fairway.create('web', { ipFamilies: ['IPv4'] });
      await fairway.clock.pass(60_000);
      const { loadBalancer } = await onlyTree(fairway);
      const [floatingIp] = await fairway.floatingIps();
      await fairway.patch('web', {
        spec: { ...policy, ports: [{ name: 'p0', port: 81, protocol: 'TCP', nodePort: 30_080 }] },
      });
      await fairway.clock.pass(60_000);
      const kept = await servedOf(fairway);
      const grown = await onlyTree(fairway);
      const { resourceVersion } = (await fairway.get('web')).metadata;
      await fairway.clock.pass(HOUR_MS);
      const isQuiet = (await fairway.get('web')).metadata.resourceVersion === resourceVersion;
      await fairway.octavia.loadBalancers.deleteCascade(loadBalancer.id);
      await fairway.clock.pass(180_000);

      expect(kept.at).toEqual(['203.0.112.*']);
      expect(kept.ready).toMatch(ready);
      expect(await warningsOf(fairway)).toContainEqual(expect.stringMatching(event));
      // All else of the edit counts.
      expect([grown.loadBalancer.id, ...grown.listeners.map((each) => each.protocol_port)]).toEqual([
        loadBalancer.id,
        81,
      ]);
      expect(isQuiet).toBe(true);
      expect(await servedOf(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
      expect((await fairway.get('web')).status?.loadBalancer?.ingress?.[0]?.ip).toBe(floatingIp?.floating_ip_address);
      expect(holdings(fairway.fairway.cloud)).toMatchObject({ load_balancers: 1, floating_ips: 1 });
    },
  );

  test('loses it again: its address is closed, and opened when it comes back', async () => {
    await fairway.create('web', DUAL);
    await fairway.clock.pass(60_000);
    await fairway.patch('web', { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } });
    await fairway.clock.pass(30_000);
    const single = { ...(await servedOf(fairway)), allowed: await allowedIn(fairway) };
    await fairway.patch('web', { spec: DUAL });
    await fairway.clock.pass(30_000);

    expect(single).toMatchObject({ at: ['203.0.112.*'], ready: 'True', allowed: [['0.0.0.0/0']] });
    expect(await servedOf(fairway)).toMatchObject({ at: ['203.0.112.*', 'fd00:7::*'], ready: 'True' });
    expect(await allowedIn(fairway)).toEqual([[]]);
    expect(await warningsOf(fairway)).toEqual([]);
  });
});

test('if an address can’t be closed, that is reported, and ranges are refused rather than circumvented', async () => {
  fairway = await startWith(26);
  await makeSubnet(fairway);
  await fairway.create('web', DUAL);
  await fairway.clock.pass(60_000);
  await fairway.patch('web', { spec: { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' } });
  await fairway.clock.pass(30_000);
  const single = await servedOf(fairway);
  await fairway.patch('web', { spec: { loadBalancerSourceRanges: [V4] } });
  await fairway.clock.pass(30_000);

  expect(single).toMatchObject({ at: ['203.0.112.*'], ready: 'True' });
  expect(await allowedIn(fairway)).toEqual([[]]);
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
