import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, expect, test } from 'vitest';
import { withoutLists } from '../../load-balancers/testing/call-counts.ts';
import { servedAddresses, sourceRangesOf, warningsOf } from '../../load-balancers/testing/dual-stack.ts';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
const INTERNAL_ANNOTATION = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const SOURCES_ANNOTATION = 'service.beta.kubernetes.io/ovh-loadbalancer-allowed-sources';
const HOUR_MS = 3_600_000;

let fairway: LoadBalancedFairway;
afterEach(() => fairway[Symbol.asyncDispose]());

async function withWeb(annotations: Record<string, string>): Promise<void> {
  fairway = await LoadBalancedFairway.start({ cloud: { latency } });
  await fairway.create('web', {}, annotations);
  await fairway.clock.pass(60_000);
}

test('the listener allows only the sources in OVHcloud’s annotation', async () => {
  await withWeb({ [SOURCES_ANNOTATION]: '198.51.100.0/24' });

  expect(await sourceRangesOf(fairway)).toEqual([['198.51.100.0/24']]);
  expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
});

test.each([
  {
    annotation: INTERNAL_ANNOTATION,
    value: 'True',
    says: `annotation ${INTERNAL_ANNOTATION}: "True" is invalid: it must be true or false`,
  },
  {
    annotation: 'service.beta.kubernetes.io/aws-load-balancer-internal',
    value: 'true',
    says: `"true" is not supported here, and must not be ignored: use ${INTERNAL_ANNOTATION}: "true", or "false" for a floating IP, or remove it`,
  },
])('creates no load balancer for $annotation: $value and reports what to do', async ({ annotation, value, says }) => {
  await withWeb({ [annotation]: value });
  const warnings = await warningsOf(fairway);
  const { resourceVersion } = (await fairway.get('web')).metadata;
  const calls = fairway.countCalls();

  await fairway.clock.pass(HOUR_MS);

  expect(await fairway.trees()).toEqual([]);
  expect(await fairway.floatingIps()).toEqual([]);
  expect(warnings).toEqual([expect.stringMatching(/^SyncLoadBalancerFailed /)]);
  expect(warnings[0]).toContain(says);
  expect(await servedAddresses(fairway)).toMatchObject({ ready: expect.stringContaining(says) });
  expect(withoutLists(calls())).toEqual({});
  expect((await fairway.get('web')).metadata.resourceVersion).toBe(resourceVersion);

  await fairway.patch('web', { metadata: { annotations: { [annotation]: null, [INTERNAL_ANNOTATION]: 'true' } } });
  await fairway.clock.pass(60_000);
  expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
  expect(await fairway.floatingIps()).toEqual([]);
});

test('keeps an internal load balancer internal when its annotation becomes invalid', async () => {
  await withWeb({ [INTERNAL_ANNOTATION]: 'true' });
  await fairway.patch('web', { metadata: { annotations: { [INTERNAL_ANNOTATION]: 'yes' } } });
  await fairway.clock.pass(60_000);

  expect(await fairway.trees()).toHaveLength(1);
  expect(await fairway.floatingIps()).toEqual([]);
  expect(await servedAddresses(fairway)).toMatchObject({ ready: expect.stringContaining('"yes" is invalid') });
});

test('keeps the listener’s restrictions when sources become invalid', async () => {
  await withWeb({ [SOURCES_ANNOTATION]: '198.51.100.0/24' });
  await fairway.patch('web', { metadata: { annotations: { [SOURCES_ANNOTATION]: 'office' } } });
  await fairway.clock.pass(60_000);

  expect(await sourceRangesOf(fairway)).toEqual([['198.51.100.0/24']]);
});

test('keeps the floating IP if the annotation that controls it is invalid', async () => {
  await withWeb({});
  await fairway.patch('web', { metadata: { annotations: { 'loadbalancer.openstack.org/keep-floatingip': 'True' } } });
  await fairway.clock.pass(10_000);
  await fairway.delete('web');
  await fairway.clock.pass(60_000);

  expect(await fairway.exists('web')).toBe(false);
  expect(await fairway.floatingIps()).toMatchObject([{ port_id: null }]);
});

test('reports a subnet without a router, and suggests alternatives', async () => {
  fairway = await LoadBalancedFairway.start({ cloud: { latency } });
  const { network_id } = await nodesSubnet();
  const { id } = await fairway.network.subnets.create({ network_id, ip_version: 4, cidr: '10.77.0.0/24', name: 'far' });
  await fairway.create('web', {}, { 'loadbalancer.openstack.org/subnet-id': id });
  await fairway.clock.pass(120_000);

  const problem = `${id} has no router to the external network`;
  expect(await warningsOf(fairway)).toContainEqual(expect.stringContaining(`openstack router add subnet ROUTER ${id}`));
  expect(await servedAddresses(fairway)).toMatchObject({ ready: expect.stringContaining(problem) });
});

async function nodesSubnet() {
  const { status } = await fairway.clock.during(fairway.fairway.clusterReady());
  return fairway.network.subnets.get(status?.network?.subnetID ?? '');
}
