import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Service, ServicePort } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyGone, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FairwayOnCloud, startFairwayOn } from './main-job/fairway-on-cloud.ts';
import { JOB_TARGETS, type JobCloud } from './main-job/job-clouds.ts';
import { tenantOf } from './session/tenant-of.ts';

const namespace = 'default';
const patience = { deadlineMs: 400_000 };
/** For what the next list of load balancers shows. */
const POLL = { timeout: 400_000, interval: 1_000 };

/** The same story on the simulated cloud and on a real one: each step builds on the one before. */
describe.each(JOB_TARGETS)('load balancers on $name', (target) => {
  describe.skipIf(target.isMissing)('from a Service to nothing left', () => {
    let cloud: JobCloud;
    let fairway: FairwayOnCloud;
    let folder: string;
    let tenant: KubeClient;

    beforeAll(async () => {
      cloud = await target.open();
      fairway = await startFairwayOn(cloud, { observeMs: 3_000, settleMs: 1_000 });
      folder = await mkdtemp(join(tmpdir(), 'fairway-load-balancers-'));
      const cluster: NewCluster = { metadata: { name: 'web', namespace }, spec: { cni: { type: 'none' } } };
      const spec = { clusterName: 'web', flavor: cloud.flavor, replicas: 2 };
      const pool: NewNodePool = { metadata: { name: 'web', namespace }, spec };
      await fairway.api.resource(clusters).create(cluster as Cluster);
      await fairway.api.resource(nodePools).create(pool as NodePool);
      await eventually(
        fairway.api.resource(machines),
        { namespace },
        (all) => all.length === 2 && all.every(({ status }) => status?.phase === 'Ready'),
        patience,
      );
      tenant = await tenantOf(fairway.api, 'web', join(folder, 'kubeconfig'));
    });

    afterAll(async () => {
      tenant?.close();
      await fairway?.api.resource(clusters).deleteCollection({ namespace });
      if (fairway) await eventually(fairway.api.resource(clusters), { namespace }, (all) => all.length === 0, patience);
      await fairway?.close();
      await cloud?.close();
      if (folder) await rm(folder, { recursive: true });
    });

    const ports = (...numbers: number[]): ServicePort[] =>
      numbers.map((port) => ({ name: `p${port}`, port, protocol: 'TCP' }));

    /** Its listeners with how many members each has; only once nothing is being changed. */
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

    it('makes a load balancer with a floating address, and all nodes behind it', async () => {
      const spec = { type: 'LoadBalancer', selector: { app: 'web' }, ports: ports(80, 443) };
      await tenant.resource(Services).create({ metadata: { name: 'web', namespace }, spec });

      const { status } = await eventuallyObject(
        tenant.resource(Services),
        { namespace, name: 'web' },
        (service: Service) => service.status?.loadBalancer?.ingress?.[0]?.ip !== undefined,
        patience,
      );

      const floating = await Array.fromAsync(fairway.member.network.floatingIps.list());
      expect(floating.map(({ floating_ip_address: address }) => address)).toEqual([
        status?.loadBalancer?.ingress?.[0]?.ip,
      ]);
      await expect.poll(serving, POLL).toEqual(['TCP 443: 2', 'TCP 80: 2']);
    });

    it('takes a port away and adds another, and restricts who may connect', async () => {
      const value = { spec: { ports: ports(80, 8080), loadBalancerSourceRanges: ['198.51.100.0/24'] } };
      await tenant.resource(Services).patch('web', { type: 'merge', value }, { namespace });

      await expect.poll(serving, POLL).toEqual(['TCP 8080: 2', 'TCP 80: 2']);
      const { listeners } = fairway.member.loadBalancing;
      await expect
        .poll(async () => (await Array.fromAsync(listeners.list())).map((each) => each.allowed_cidrs), POLL)
        .toEqual([['198.51.100.0/24'], ['198.51.100.0/24']]);
      await expect.poll(serving, POLL).toEqual(['TCP 8080: 2', 'TCP 80: 2']);
    });

    it('makes a listener anew that somebody has deleted', async () => {
      const { listeners } = fairway.member.loadBalancing;
      const [first] = await Array.fromAsync(listeners.list());
      await listeners.delete(first?.id ?? '');
      await expect.poll(async () => (await serving()).length, POLL).toBe(1);

      await expect.poll(serving, POLL).toEqual(['TCP 8080: 2', 'TCP 80: 2']);
    });

    const addresses = async () =>
      (await Array.fromAsync(fairway.member.network.floatingIps.list())).map((each) => each.floating_ip_address);

    it('is shared by another Service that names it, which has it when the first goes', async () => {
      const before = await addresses();
      const named = 'loadbalancer.openstack.org/load-balancer-id';
      const { metadata } = await tenant.resource(Services).get('web', { namespace });
      const annotations = { [named]: metadata.annotations?.[named] ?? '' };
      const spec = { type: 'LoadBalancer', selector: { app: 'api' }, ports: ports(9000) };
      await tenant.resource(Services).create({ metadata: { name: 'api', namespace, annotations }, spec });
      await expect.poll(serving, POLL).toEqual(['TCP 8080: 2', 'TCP 80: 2', 'TCP 9000: 2']);
      await eventuallyObject(
        tenant.resource(Services),
        { namespace, name: 'api' },
        (service: Service) => service.status?.loadBalancer?.ingress?.[0]?.ip === before[0],
        patience,
      );

      await tenant.resource(Services).delete('web', { namespace });
      await eventuallyGone(tenant.resource(Services), { namespace, name: 'web' }, patience);

      await expect.poll(serving, POLL).toEqual(['TCP 9000: 2']);
      expect(await addresses()).toEqual(before);
    });

    it('leaves nothing behind', async () => {
      await tenant.resource(Services).delete('api', { namespace });
      await eventuallyGone(tenant.resource(Services), { namespace, name: 'api' }, patience);

      await expect.poll(serving, POLL).toEqual([]);
      expect(await addresses()).toEqual([]);
    });
  });
});
