import type { Service } from '@fairway/kube/kinds/generated/types';
import { Nodes, Services } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyGone } from '@fairway/kube/testing/eventually';
import { ServiceApi } from '@fairway/openstack/service-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UpstreamControllerManager } from './upstream-cloud-provider/controller-manager.ts';
import { upstreamProgram } from './upstream-cloud-provider/programs.ts';

const program = upstreamProgram('openstack-cloud-controller-manager');
const skipped = ' (skipped: "testbed/cloud-provider-openstack/testbed build" makes it)';
const namespace = 'default';
const PATIENCE = { deadlineMs: 300_000 };
const Listeners = z.object({ listeners: z.array(z.object({ protocol: z.string(), protocol_port: z.number() })) });

/** A client of the cloud that nobody here wrote must not be able to tell that it is simulated. */
describe.skipIf(program === undefined)(
  `upstream's cloud controller manager on the simulator${program === undefined ? skipped : ''}`,
  () => {
    let upstream: UpstreamControllerManager;

    beforeAll(async () => {
      upstream = await UpstreamControllerManager.start(program ?? '', { createMs: 500, updateMs: 100 }, 2);
    });
    afterAll(() => upstream?.close());

    async function create(name: string, ports: Service['spec']['ports'], annotations: Record<string, string> = {}) {
      const spec = { type: 'LoadBalancer', selector: { app: name }, ports };
      const services = upstream.api.resource(Services);
      await services.create({ metadata: { name, namespace, annotations }, spec } as Service);
    }

    async function addressOf(name: string): Promise<string> {
      let address = '';
      await eventually(
        upstream.api.resource(Services),
        { namespace },
        (all) => {
          const found = all.find(({ metadata }) => metadata.name === name);
          address = found?.status?.loadBalancer?.ingress?.[0]?.ip ?? '';
          return address !== '';
        },
        PATIENCE,
      );
      return address;
    }

    const listeners = async () => {
      const api = new ServiceApi(upstream.member.session, 'load-balancer');
      const { listeners: all } = await api.get(Listeners, '/lbaas/listeners');
      return all.map(({ protocol, protocol_port }) => `${protocol} ${protocol_port}`).sort();
    };

    it('knows nodes by their servers', async () => {
      const { items } = await upstream.api.resource(Nodes).list();

      for (const { metadata, spec } of items) {
        expect(spec.providerID).toMatch(/^openstack:\/\/\/[0-9a-f-]{36}$/);
        expect(spec.taints ?? []).toEqual([]);
        expect(metadata.labels).toMatchObject({
          'node.kubernetes.io/instance-type': 'b3-8',
          'topology.kubernetes.io/region': 'RegionOne',
        });
      }
    });

    it('gives Services floating addresses and listeners of what they ask for', async () => {
      await create('web', [
        { name: 'http', port: 80, protocol: 'TCP' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ]);
      await create('forwarded', [{ port: 8080, protocol: 'TCP' }], {
        'loadbalancer.openstack.org/x-forwarded-for': 'true',
      });

      const addresses = await Promise.all([addressOf('web'), addressOf('forwarded')]);

      const floating = await Array.fromAsync(upstream.member.network.floatingIps.list());
      expect(floating.map(({ floating_ip_address: address }) => address).sort()).toEqual(addresses.sort());
      expect(await listeners()).toEqual(['HTTP 8080', 'TCP 80', 'UDP 53']);
    });

    it('takes a port away', async () => {
      const value = { spec: { ports: [{ $patch: 'delete', port: 53 }] } };
      await upstream.api.resource(Services).patch('web', { type: 'strategic', value }, { namespace });

      await expect.poll(listeners).toEqual(['HTTP 8080', 'TCP 80']);
    });

    it('leaves nothing behind', async () => {
      const services = upstream.api.resource(Services);
      for (const name of ['web', 'forwarded']) {
        await services.delete(name, { namespace });
        await eventuallyGone(services, { namespace, name }, PATIENCE);
      }

      expect(await listeners()).toEqual([]);
      expect(await Array.fromAsync(upstream.member.network.floatingIps.list())).toEqual([]);
    });
  },
);
