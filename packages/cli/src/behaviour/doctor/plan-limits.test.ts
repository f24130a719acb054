import { FakeClock } from '@fairway/base/clock-fake';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import type { CloudConfig } from '@fairway/simulator/config';
import { describe, expect, test } from 'vitest';
import { observeCloud } from '../../doctor/cloud-observation.ts';
import { planReport } from '../../doctor/plans/plan-report.ts';
import type { ProposedNote } from '../../doctor/plans/proposals.ts';

/** The report for new plans on a simulated cloud. */
async function reportOn(config: Partial<CloudConfig>, prepare: (cloud: Cloud) => void = () => {}, entry = 'simulator') {
  const clock = new FakeClock();
  const cloud = createCloud({ clock, random: seededRandom(1), config });
  await cloud.listen({ host: '127.0.0.1', port: 0 });
  const yaml = new CloudsYaml({
    env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
    cwd: '/',
    home: '/',
    readFile: (path) => (path === '/clouds.yaml' ? cloud.cloudsYaml() : undefined),
  });
  const connection = new CloudConnection({
    config: yaml.get(entry),
    clock,
    random: () => 0.5,
    readFile: () => '',
    retry: { maxAttempts: 1, baseDelayMs: 0, maxDelayMs: 0 },
  });
  prepare(cloud);
  try {
    const observed = await observeCloud(connection.client(), { name: 'simulator', region: undefined });
    return planReport(observed, { problem: 'there is no Fairway' }, clock.now());
  } finally {
    await connection.close();
    await cloud.close();
  }
}

function excluded(notes: readonly ProposedNote[] = []): string[] {
  return notes.flatMap(({ limit, value }) => (value === undefined ? [] : [`${limit} ${value}`]));
}

const V6_LIMITS = ['network.ipFamilies', 'services.ipFamilies'].flatMap((limit) => [
  `${limit} IPv6`,
  `${limit} DualStack`,
]);
const SHARE_LIMITS = [
  'allowed.features Shares',
  'storage.accessModes ReadOnlyMany',
  'storage.accessModes ReadWriteMany',
];
const POOL = {
  id: '2f1c3a52-6f0b-4d7e-9a53-0c7c0d2a1b02',
  name: 'v6',
  prefixes: ['2001:db8::/48'],
  ipVersion: 6,
} as const;

describe('limits are proposed for', () => {
  test.each<{ cloud: string; config: Partial<CloudConfig>; expected: readonly string[] }>([
    { cloud: 'a cloud with an IPv6 subnet pool', config: { subnetPools: [POOL] }, expected: [] },
    {
      cloud: 'a cloud without Manila',
      config: { subnetPools: [POOL], missingServices: ['shared-file-system'], volumeTypes: [] },
      expected: SHARE_LIMITS,
    },
    {
      cloud: 'a cloud without Octavia',
      config: { subnetPools: [POOL], missingServices: ['load-balancer'] },
      expected: ['services.types LoadBalancer', 'allowed.features Ingresses', 'allowed.features Gateways'],
    },
    {
      cloud: 'a cloud without Cinder',
      config: { subnetPools: [POOL], missingServices: ['block-storage'] },
      expected: ['allowed.features VolumeSnapshots'],
    },
  ])('$cloud', async ({ config, expected }) => {
    const { proposals, unknown } = await reportOn(config);
    const [proposal] = proposals;

    expect(excluded(proposal?.spec.limitNotes).sort()).toEqual([...expected].sort());
    expect(unknown).toEqual([]);
  });
});

test('the providers of Octavia are proposed', async () => {
  const { proposals } = await reportOn({ subnetPools: [POOL], loadBalancerProviders: ['amphora', 'ovn'] });

  expect(proposals).toMatchObject([{ plans: [], spec: { services: { loadBalancerProviders: ['amphora', 'ovn'] } } }]);
});

describe('a service that fails is not missing', () => {
  test.each([
    { service: 'shared-file-system', status: 403, unknown: ['shared file systems'] },
    { service: 'shared-file-system', status: 500, unknown: ['shared file systems'] },
    { service: 'load-balancer', status: 403, unknown: ['load balancer providers'] },
    { service: 'block-storage', status: 500, unknown: ['volume types', 'quota of volume snapshots'] },
    { service: 'image', status: 500, unknown: ['images'] },
    { service: 'compute', status: 500, unknown: ['flavors'] },
    { service: 'network', status: 500, unknown: ['external networks', 'IPv6 addresses', 'networks'] },
  ] as const)('$service answers $status', async ({ service, status, unknown }) => {
    const report = await reportOn({ subnetPools: [POOL] }, ({ faults }) => {
      faults.add({ service, times: null, action: { kind: 'answer', status } });
    });

    expect(excluded(report.proposals[0]?.spec.limitNotes)).toEqual([]);
    expect(report.unknown.map(({ what }) => what)).toEqual(unknown);
  });
});

test('an administrator sees that a cloud has IPv4 alone', async () => {
  const { proposals, unknown } = await reportOn({}, () => {}, 'simulator-admin');

  expect(excluded(proposals[0]?.spec.limitNotes)).toEqual(V6_LIMITS);
  expect(unknown).toEqual([]);
});

test('a cloud that hides the subnets of external networks may have IPv6', async () => {
  const { proposals, unknown } = await reportOn({});

  expect(excluded(proposals[0]?.spec.limitNotes)).toEqual([]);
  expect(unknown).toMatchObject([{ what: 'IPv6 addresses', problem: expect.stringContaining('public') }]);
});

test('a cloud that hides its subnet pools may have IPv6', async () => {
  const { proposals, unknown } = await reportOn({}, ({ faults }) => {
    faults.add({ path: '/subnetpools', times: null, action: { kind: 'answer', status: 403 } });
  });

  expect(excluded(proposals[0]?.spec.limitNotes)).toEqual([]);
  expect(unknown.map(({ what }) => what)).toEqual(['IPv6 addresses']);
});
