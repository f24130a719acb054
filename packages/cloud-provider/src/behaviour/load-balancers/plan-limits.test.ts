import { plans } from '@fairway/api/kinds/plan';
import type { PlanServices } from '@fairway/api/kinds/plan-services';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withoutLists } from '../../load-balancers/testing/call-counts.ts';
import { onlyTree, servedAddresses, sourceRangesOf, warningsOf } from '../../load-balancers/testing/dual-stack.ts';
import { LOAD_BALANCER_LATENCY, LoadBalancedFairway } from '../../load-balancers/testing/load-balanced-fairway.ts';

const latency = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, ...LOAD_BALANCER_LATENCY } };
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const PROVIDER = 'loadbalancer.fairway.dev/provider';
const CONNECTIONS = 'loadbalancer.openstack.org/connection-limit';
const SOURCES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';
const ID = 'loadbalancer.openstack.org/load-balancer-id';
const KEPT = 'fairway.dev/kept-load-balancer-annotations';
const WITHOUT_OPENSTACK: PlanServices = { refusedAnnotations: [{ key: 'loadbalancer.openstack.org/*' }] };

let fairway: LoadBalancedFairway;
beforeEach(async () => {
  fairway = await LoadBalancedFairway.start({ cloud: { latency } });
});
afterEach(() => fairway[Symbol.asyncDispose]());

async function offer(services: PlanServices | null, limitNotes: readonly object[] = []): Promise<void> {
  await fairway.fairway.patch(plans, 'free', { spec: { services, limitNotes } });
  await fairway.clock.pass(1_000);
}

describe('a new Service beyond the limits of its plan', () => {
  test.each<{
    reason: string;
    services: PlanServices;
    annotations?: Record<string, string>;
    spec?: object;
    says: string;
  }>([
    { reason: 'its type', services: { types: ['ClusterIP'] }, says: 'spec.type: LoadBalancer is not allowed' },
    {
      reason: 'its families',
      services: { ipFamilies: ['IPv4'] },
      spec: { ipFamilies: ['IPv6'] },
      says: 'spec.ipFamilies: IPv6 is not allowed for Services',
    },
    {
      reason: 'an annotation',
      services: WITHOUT_OPENSTACK,
      annotations: { [CONNECTIONS]: '5' },
      says: 'metadata.annotations: loadbalancer.openstack.org/* is not allowed',
    },
    {
      reason: 'the value of an annotation',
      services: { refusedAnnotations: [{ key: CONNECTIONS, values: ['5*'] }] },
      annotations: { [CONNECTIONS]: '50' },
      says: `metadata.annotations: ${CONNECTIONS} with the value 5* is not allowed`,
    },
    {
      reason: 'its provider',
      services: { loadBalancerProviders: ['amphora'] },
      annotations: { [PROVIDER]: 'ovn' },
      says: `metadata.annotations: ${PROVIDER} must be amphora`,
    },
  ])(
    'gets no load balancer because of $reason, makes no calls, and is served once the plan allows it',
    async ({ services, annotations = {}, spec = {}, says }) => {
      const [limit] = Object.keys(services).map((name) => `services.${name}`);
      await offer(services, [{ limit, reason: 'not in this region' }]);
      await fairway.create('web', spec, annotations);
      await fairway.clock.pass(MINUTE_MS);
      const warnings = await warningsOf(fairway);
      const { resourceVersion } = (await fairway.get('web')).metadata;
      const calls = fairway.countCalls();
      await fairway.clock.pass(HOUR_MS);

      expect(await fairway.trees()).toEqual([]);
      expect(warnings).toEqual([expect.stringContaining(`PlanLimitExceeded ${says}`)]);
      expect(warnings[0]).toMatch(/\. Not in this region$/);
      expect(await servedAddresses(fairway)).toMatchObject({ ready: expect.stringContaining(says) });
      expect(withoutLists(calls())).toEqual({});
      expect((await fairway.get('web')).metadata.resourceVersion).toBe(resourceVersion);

      await fairway.patch('web', { spec: { type: 'ClusterIP' } });
      await fairway.delete('web');
      expect(await fairway.exists('web')).toBe(false);
    },
  );

  test('is served once the plan allows it', async () => {
    await offer({ types: ['ClusterIP'] });
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const refused = await servedAddresses(fairway);
    await offer(null);
    await fairway.clock.pass(MINUTE_MS);

    expect(refused).toMatchObject({ at: [] });
    expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
  });

  test('is served with an Event if the plan only warns', async () => {
    await offer({ types: ['ClusterIP'] }, [
      { limit: 'services.types', enforcement: 'Warn', alternative: 'use Gateways' },
    ]);
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);

    expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
    expect(await warningsOf(fairway)).toEqual([
      "PlanLimitExceeded spec.type: LoadBalancer is not allowed by the cluster's plan: use ClusterIP. Use Gateways",
    ]);
  });
});

test('a Service without a provider gets one of the plan’s', async () => {
  await offer({ loadBalancerProviders: ['ovn'] });
  await fairway.create('web');
  await fairway.clock.pass(MINUTE_MS);

  expect((await onlyTree(fairway)).loadBalancer.provider).toBe('ovn');
});

describe('a load balancer that existed before a limit', () => {
  test('is kept, maintained and deleted, with one Event', async () => {
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const { loadBalancer } = await onlyTree(fairway);
    await offer({ types: ['ClusterIP'] });
    await fairway.patch('web', { metadata: { annotations: { [SOURCES]: '198.51.100.0/24' } } });
    await fairway.clock.pass(MINUTE_MS);

    expect((await onlyTree(fairway)).loadBalancer.id).toBe(loadBalancer.id);
    expect(await sourceRangesOf(fairway)).toEqual([['198.51.100.0/24']]);
    expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
    expect(await warningsOf(fairway)).toEqual([
      "PlanLimitExceeded the load balancer is kept, but a new one would be refused: spec.type: LoadBalancer is not allowed by the cluster's plan: use ClusterIP",
    ]);

    await fairway.delete('web');
    await fairway.clock.pass(MINUTE_MS);
    expect(await fairway.trees()).toEqual([]);
    expect(await fairway.exists('web')).toBe(false);
  });

  test('keeps its refused annotations, but gets no others', async () => {
    await fairway.create('web', {}, { [CONNECTIONS]: '5' });
    await fairway.clock.pass(MINUTE_MS);
    await offer(WITHOUT_OPENSTACK);
    await fairway.clock.pass(MINUTE_MS);
    const kept = await onlyTree(fairway);
    const ready = await servedAddresses(fairway);
    const changed = { [CONNECTIONS]: '7', [SOURCES]: '198.51.100.0/24' };
    await fairway.patch('web', { metadata: { annotations: changed } });
    await fairway.clock.pass(MINUTE_MS);
    const afterChange = await onlyTree(fairway);

    expect(kept.listeners).toMatchObject([{ connection_limit: 5 }]);
    expect(ready).toMatchObject({ ready: 'True' });
    expect(afterChange.loadBalancer.id).toBe(kept.loadBalancer.id);
    // A changed annotation counts as a new one: its effect ends.
    expect(afterChange.listeners).toMatchObject([{ connection_limit: -1, allowed_cidrs: ['198.51.100.0/24'] }]);
    expect(await servedAddresses(fairway)).toMatchObject({
      ready: expect.stringContaining(`False annotation ${CONNECTIONS} has no effect: metadata.annotations`),
    });

    await offer(null);
    await fairway.clock.pass(MINUTE_MS);
    expect((await onlyTree(fairway)).listeners).toMatchObject([{ connection_limit: 7 }]);
    expect((await fairway.get('web')).metadata.annotations).not.toHaveProperty(KEPT);
    expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
  });

  test('keeps what a later limit refuses, so that it does not become more open', async () => {
    await fairway.create('web', {}, { [CONNECTIONS]: '5', [SOURCES]: '198.51.100.0/24' });
    await fairway.clock.pass(MINUTE_MS);
    await offer(WITHOUT_OPENSTACK);
    await fairway.clock.pass(MINUTE_MS);
    await offer({
      refusedAnnotations: [{ key: 'loadbalancer.openstack.org/*' }, { key: 'service.beta.kubernetes.io/*' }],
    });
    await fairway.clock.pass(MINUTE_MS);

    expect((await onlyTree(fairway)).listeners).toMatchObject([
      { connection_limit: 5, allowed_cidrs: ['198.51.100.0/24'] },
    ]);
    expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
  });

  test('keeps its annotations even if the record of them is deleted or forged', async () => {
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    await offer(WITHOUT_OPENSTACK);
    await fairway.clock.pass(MINUTE_MS);
    const record = (await fairway.get('web')).metadata.annotations?.[KEPT];
    await fairway.patch('web', { metadata: { annotations: { [CONNECTIONS]: '7', [KEPT]: null } } });
    await fairway.clock.pass(MINUTE_MS);

    expect((await onlyTree(fairway)).listeners).toMatchObject([{ connection_limit: -1 }]);
    expect((await fairway.get('web')).metadata.annotations).toMatchObject({ [KEPT]: record });
  });

  test('keeps its provider, and is not replaced by one that the plan refuses', async () => {
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const { loadBalancer } = await onlyTree(fairway);
    await offer({ loadBalancerProviders: ['amphora'] });
    await fairway.patch('web', { metadata: { annotations: { [PROVIDER]: 'ovn' } } });
    await fairway.clock.pass(MINUTE_MS);

    expect((await onlyTree(fairway)).loadBalancer).toMatchObject({ id: loadBalancer.id, provider: 'amphora' });
    expect(await servedAddresses(fairway)).toMatchObject({
      ready: expect.stringContaining(`False annotation ${PROVIDER} has no effect: metadata.annotations`),
    });
  });

  test('is not replaced to change its address', async () => {
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const { loadBalancer } = await onlyTree(fairway);
    await offer({ types: ['ClusterIP'] });
    await fairway.patch('web', {
      metadata: { annotations: { [INTERNAL]: 'true' } },
      spec: { loadBalancerIP: '10.1.0.200' },
    });
    await fairway.clock.pass(MINUTE_MS);

    expect((await onlyTree(fairway)).loadBalancer.id).toBe(loadBalancer.id);
    expect(await servedAddresses(fairway)).toMatchObject({
      ready: expect.stringContaining(
        'the address of the load balancer cannot be changed because the plan would refuse a new one: spec.type',
      ),
    });
  });

  test('can still be shared by the Services that shared it, also once it is replaced', async () => {
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const { loadBalancer } = await onlyTree(fairway);
    await fairway.create('api', { ports: [{ name: 'api', port: 81, protocol: 'TCP' }] }, { [ID]: loadBalancer.id });
    await fairway.clock.pass(MINUTE_MS);
    await offer(WITHOUT_OPENSTACK);
    await fairway.clock.pass(MINUTE_MS);
    await fairway.octavia.loadBalancers.deleteCascade(loadBalancer.id);
    await fairway.clock.pass(10 * MINUTE_MS);

    const replacement = await onlyTree(fairway);
    expect(replacement.loadBalancer.id).not.toBe(loadBalancer.id);
    expect(new Set(replacement.listeners.map(({ protocol_port }) => protocol_port))).toEqual(new Set([80, 81]));
    expect(await servedAddresses(fairway, 'api')).toMatchObject({ ready: 'True' });
  });

  test('is not shared by a Service whose records say that it is its own', async () => {
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const { id } = (await onlyTree(fairway)).loadBalancer;
    await offer(WITHOUT_OPENSTACK);
    const ports = [{ name: 'api', port: 81, protocol: 'TCP' }];
    await fairway.create('api', { ports }, { [ID]: id, 'fairway.dev/load-balancer-id': id });
    await fairway.clock.pass(MINUTE_MS);

    expect((await fairway.trees()).map(({ listeners }) => listeners.length)).toEqual([1, 1]);
  });

  test('is replaced even if Fairway restarts in between', async () => {
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const { loadBalancer } = await onlyTree(fairway);
    await offer({ types: ['ClusterIP'] });
    const { loadBalancers } = fairway.octavia;
    await fairway.fairway.stopProcess();
    await loadBalancers.deleteCascade(loadBalancer.id);
    // Octavia completes the deletion.
    await fairway.clock.pass(MINUTE_MS);
    await fairway.fairway.startProcess();
    await fairway.clock.pass(10 * MINUTE_MS);

    expect((await onlyTree(fairway)).loadBalancer.id).not.toBe(loadBalancer.id);
    expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
  });

  test('is replaced if it fails', async () => {
    await fairway.create('web');
    await fairway.clock.pass(MINUTE_MS);
    const { loadBalancer } = await onlyTree(fairway);
    await offer({ types: ['ClusterIP'] });
    await fairway.octavia.loadBalancers.deleteCascade(loadBalancer.id);
    await fairway.clock.pass(10 * MINUTE_MS);

    expect((await onlyTree(fairway)).loadBalancer.id).not.toBe(loadBalancer.id);
    expect(await servedAddresses(fairway)).toMatchObject({ ready: 'True' });
  });
});
