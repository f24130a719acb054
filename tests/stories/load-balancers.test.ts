import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Service, ServicePort } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FairwayOnCloud } from '../main-job/fairway-on-cloud.ts';
import { JOB_TARGETS } from '../main-job/job-clouds.ts';
import { TenantScenario } from '../main-job/tenant-scenario.ts';

const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };
/** For waiting until load balancers are listed again. */
const POLL_OPTIONS = { timeout: 400_000, interval: 1_000 };

/** The same scenario on the simulated cloud and on a real one. Each step builds on the previous one. */
describe.each(JOB_TARGETS)('load balancers on $name', (target) => {
  describe.skipIf(target.isMissing)('the lifecycle of a Service', () => {
    let scenario: TenantScenario;
    let fairway: FairwayOnCloud;
    let tenant: KubeClient;

    beforeAll(async () => {
      scenario = await TenantScenario.begin(target, 'web', 2);
      ({ fairway, tenant } = scenario);
    });

    afterAll(() => scenario?.end());

    const ports = (...numbers: number[]): ServicePort[] =>
      numbers.map((port) => ({ name: `p${port}`, port, protocol: 'TCP' }));

    /** The listeners with their number of members, once no change is in progress. */
    async function serving(): Promise<readonly string[]> {
      const { loadBalancers, listeners, pools } = fairway.member.loadBalancing;
      const found: string[] = [];
      for await (const { id, provisioning_status: status } of loadBalancers.list()) {
        if (status !== 'ACTIVE') return [status];
        for await (const { protocol, protocol_port: port, default_pool_id: pool } of listeners.list({
          loadbalancer_id: id,
        })) {
          const members = pool ? await Array.fromAsync(pools.members(pool)) : [];
          found.push(`${protocol} ${port}: ${members.length}`);
        }
      }
      return found.sort();
    }

    it('creates a load balancer with a floating IP, and all nodes behind it', async () => {
      const spec = { type: 'LoadBalancer', selector: { app: 'web' }, ports: ports(80, 443) };
      await tenant.resource(Services).create({ metadata: { name: 'web', namespace }, spec });

      const { status } = await eventuallyObject(
        tenant.resource(Services),
        { namespace, name: 'web' },
        (service: Service) => service.status?.loadBalancer?.ingress?.[0]?.ip !== undefined,
        waitOptions,
      );

      const floating = await Array.fromAsync(fairway.member.network.floatingIps.list());
      expect(floating.map(({ floating_ip_address: address }) => address)).toEqual([
        status?.loadBalancer?.ingress?.[0]?.ip,
      ]);
      await expect.poll(serving, POLL_OPTIONS).toEqual(['TCP 443: 2', 'TCP 80: 2']);
    });

    it('removes a port and adds another, and restricts who may connect', async () => {
      const value = { spec: { ports: ports(80, 8080), loadBalancerSourceRanges: ['198.51.100.0/24'] } };
      await tenant.resource(Services).patch('web', { type: 'merge', value }, { namespace });

      await expect.poll(serving, POLL_OPTIONS).toEqual(['TCP 8080: 2', 'TCP 80: 2']);
      const { listeners } = fairway.member.loadBalancing;
      await expect
        .poll(async () => (await Array.fromAsync(listeners.list())).map((each) => each.allowed_cidrs), POLL_OPTIONS)
        .toEqual([['198.51.100.0/24'], ['198.51.100.0/24']]);
      await expect.poll(serving, POLL_OPTIONS).toEqual(['TCP 8080: 2', 'TCP 80: 2']);
    });

    it('recreates a listener deleted in the cloud', async () => {
      const { listeners } = fairway.member.loadBalancing;
      const [first] = await Array.fromAsync(listeners.list());
      // Octavia refuses the deletion while any part of the load balancer is being updated, such as its health monitors.
      const attempt = async () =>
        listeners.delete(first?.id ?? '').then(
          () => 'deleted',
          (error: unknown) => (isOpenStackError(error, 'conflict') ? 'busy' : Promise.reject(error)),
        );
      await expect.poll(attempt, POLL_OPTIONS).toBe('deleted');
      await expect.poll(async () => (await serving()).length, POLL_OPTIONS).toBe(1);

      await expect.poll(serving, POLL_OPTIONS).toEqual(['TCP 8080: 2', 'TCP 80: 2']);
    });

    const addresses = async () =>
      (await Array.fromAsync(fairway.member.network.floatingIps.list())).map((each) => each.floating_ip_address);

    it('shares a load balancer with another Service that references it, and hands it over when the first is deleted', async () => {
      const before = await addresses();
      const named = 'loadbalancer.openstack.org/load-balancer-id';
      const { metadata } = await tenant.resource(Services).get('web', { namespace });
      const annotations = { [named]: metadata.annotations?.[named] ?? '' };
      const spec = { type: 'LoadBalancer', selector: { app: 'api' }, ports: ports(9000) };
      await tenant.resource(Services).create({ metadata: { name: 'api', namespace, annotations }, spec });
      await expect.poll(serving, POLL_OPTIONS).toEqual(['TCP 8080: 2', 'TCP 80: 2', 'TCP 9000: 2']);
      await eventuallyObject(
        tenant.resource(Services),
        { namespace, name: 'api' },
        (service: Service) => service.status?.loadBalancer?.ingress?.[0]?.ip === before[0],
        waitOptions,
      );

      await tenant.resource(Services).delete('web', { namespace });
      await eventuallyDeleted(tenant.resource(Services), { namespace, name: 'web' }, waitOptions);

      await expect.poll(serving, POLL_OPTIONS).toEqual(['TCP 9000: 2']);
      expect(await addresses()).toEqual(before);
    });

    it('leaves nothing behind', async () => {
      await tenant.resource(Services).delete('api', { namespace });
      await eventuallyDeleted(tenant.resource(Services), { namespace, name: 'api' }, waitOptions);

      await expect.poll(serving, POLL_OPTIONS).toEqual([]);
      expect(await addresses()).toEqual([]);
    });
  });
});
