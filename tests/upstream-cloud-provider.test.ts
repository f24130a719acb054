import type { Node, Service } from '@fairway/kube/kinds/generated/types';
import { Nodes, Services } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted } from '@fairway/kube/testing/eventually';
import { ServiceApi } from '@fairway/openstack/service-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { upstreamProgram } from './upstream-cloud-provider/binaries.ts';
import { ControllerManager, fairwayManager, upstreamManager } from './upstream-cloud-provider/controller-manager.ts';

const program = upstreamProgram('openstack-cloud-controller-manager');
const skipped = ' (skipped: "testbed/cloud-provider-openstack/testbed build" makes it)';
const namespace = 'default';
const LONG_WAIT = { deadlineMs: 300_000 };
const Listeners = z.object({ listeners: z.array(z.object({ protocol: z.string(), protocol_port: z.number() })) });

/**
 * The same manifests for upstream's controller manager and for Fairway. An independent client must not notice that the
 * cloud is simulated, and users must not notice a difference between the two.
 */
describe.each([
  {
    name: `upstream's controller manager${program === undefined ? skipped : ''}`,
    of: program && upstreamManager(program),
  },
  { name: 'fairway cloud-provider', of: fairwayManager() },
])('$name on the simulator', ({ of }) => {
  describe.skipIf(of === undefined)('on manually created nodes', () => {
    let manager: ControllerManager;

    beforeAll(async () => {
      if (of) manager = await ControllerManager.start(of, { createMs: 500, updateMs: 100 }, 2);
    });
    afterAll(() => manager?.close());

    async function create(name: string, ports: Service['spec']['ports'], annotations: Record<string, string> = {}) {
      const spec = { type: 'LoadBalancer', selector: { app: name }, ports };
      const services = manager.api.resource(Services);
      await services.create({ metadata: { name, namespace, annotations }, spec } as Service);
    }

    async function addressOf(name: string): Promise<string> {
      let address = '';
      await eventually(
        manager.api.resource(Services),
        { namespace },
        (all) => {
          const found = all.find(({ metadata }) => metadata.name === name);
          address = found?.status?.loadBalancer?.ingress?.[0]?.ip ?? '';
          return address !== '';
        },
        LONG_WAIT,
      );
      return address;
    }

    const listeners = async () => {
      const api = new ServiceApi(manager.member.session, 'load-balancer');
      const { listeners: all } = await api.get(Listeners, '/lbaas/listeners');
      return all.map(({ protocol, protocol_port }) => `${protocol} ${protocol_port}`).sort();
    };

    it('matches nodes with their servers', async () => {
      const isInitialized = ({ spec }: Node) => Boolean(spec.providerID) && !spec.taints?.length;
      await eventually(manager.api.resource(Nodes), {}, (all) => all.every(isInitialized), LONG_WAIT);

      const { items } = await manager.api.resource(Nodes).list();
      for (const { metadata, spec } of items) {
        expect(spec.providerID).toMatch(/^openstack:\/\/\/[0-9a-f-]{36}$/);
        expect(metadata.labels).toMatchObject({
          'node.kubernetes.io/instance-type': 'b3-8',
          'topology.kubernetes.io/region': 'RegionOne',
        });
      }
    });

    it('gives Services floating IPs and the requested listeners', async () => {
      await create('web', [
        { name: 'http', port: 80, protocol: 'TCP' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ]);
      await create('forwarded', [{ port: 8080, protocol: 'TCP' }], {
        'loadbalancer.openstack.org/x-forwarded-for': 'true',
      });

      const addresses = await Promise.all([addressOf('web'), addressOf('forwarded')]);

      const floating = await Array.fromAsync(manager.member.network.floatingIps.list());
      expect(floating.map(({ floating_ip_address: address }) => address).sort()).toEqual(addresses.sort());
      expect(await listeners()).toEqual(['HTTP 8080', 'TCP 80', 'UDP 53']);
    });

    it('gives load balancers the expected names', async () => {
      const found = await Array.fromAsync(manager.member.loadBalancing.loadBalancers.list());

      expect(new Set(found.map(({ name }) => name))).toEqual(
        new Set(['kube_service_peer_default_forwarded', 'kube_service_peer_default_web']),
      );
    });

    it('removes a port even if the provider has been killed', async () => {
      await manager.crash();
      const value = { spec: { ports: [{ $patch: 'delete', port: 53 }] } };
      await manager.api.resource(Services).patch('web', { type: 'strategic', value }, { namespace });

      await expect.poll(listeners, { timeout: LONG_WAIT.deadlineMs }).toEqual(['HTTP 8080', 'TCP 80']);
      expect(await Array.fromAsync(manager.member.loadBalancing.loadBalancers.list())).toHaveLength(2);
    });

    it('deletes only the node of a deleted server', async () => {
      const nodes = manager.api.resource(Nodes);
      const { items } = await nodes.list();
      for (const { metadata } of items) {
        const value = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
        await nodes.patch(metadata.name ?? '', { type: 'strategic', value }, { subresource: 'status' });
      }
      const { servers } = manager.member.compute;
      for await (const server of servers.list()) if (server.name === 'node-2') await servers.delete(server.id);

      await eventuallyDeleted(nodes, { name: 'node-2' }, LONG_WAIT);

      expect((await nodes.list()).items.map(({ metadata }) => metadata.name)).toEqual(['node-1']);
    });

    it('leaves nothing behind', async () => {
      const services = manager.api.resource(Services);
      for (const name of ['web', 'forwarded']) {
        await services.delete(name, { namespace });
        await eventuallyDeleted(services, { namespace, name }, LONG_WAIT);
      }

      expect(await listeners()).toEqual([]);
      expect(await Array.fromAsync(manager.member.network.floatingIps.list())).toEqual([]);
    });
  });
});
