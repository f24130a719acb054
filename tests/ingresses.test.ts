import { tlsData } from '@fairway/cloud-provider/tls/testing/tls-secret';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { HTTPIngressPath, Ingress } from '@fairway/kube/kinds/generated/types';
import { Ingresses, Secrets, Services } from '@fairway/kube/kinds/resources';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FairwayOnCloud } from './main-job/fairway-on-cloud.ts';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { certificatesOf } from './main-job/served-certificates.ts';
import { TenantScenario } from './main-job/tenant-scenario.ts';

const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };
/** For waiting until load balancers are listed again. */
const POLL_OPTIONS = { timeout: 400_000, interval: 1_000 };
const INTERNAL = { 'octavia.ingress.kubernetes.io/internal': 'false' };

function prefix(path: string, name: string): HTTPIngressPath {
  return { path, pathType: 'Prefix', backend: { service: { name, port: { number: 80 } } } };
}

/**
 * The same scenario on the simulated cloud and on a real one, with Octavia and Barbican. Each step builds on the
 * previous one.
 */
describe.each(JOB_TARGETS)('Ingresses on $name', (target) => {
  describe.skipIf(target.isMissing)('the lifecycle of an Ingress', () => {
    let scenario: TenantScenario;
    let fairway: FairwayOnCloud;
    let tenant: KubeClient;

    beforeAll(async () => {
      scenario = await TenantScenario.begin(target, 'shop', 2);
      ({ fairway, tenant } = scenario);
      for (const name of ['web', 'api']) {
        const service = { type: 'NodePort', selector: { app: name }, ports: [{ port: 80, protocol: 'TCP' }] };
        await tenant.resource(Services).create({ metadata: { name, namespace }, spec: service });
      }
    });

    afterAll(() => scenario?.end());

    async function makeSecret(name: string, host: string): Promise<void> {
      const data = await tlsData(host);
      await tenant.resource(Secrets).create({ metadata: { name, namespace }, type: 'kubernetes.io/tls', data });
    }

    /** The targets in order of precedence, once no change is in progress. */
    async function routes(): Promise<readonly string[]> {
      const { loadBalancers, l7Policies, pools } = fairway.member.loadBalancing;
      const all = await Array.fromAsync(loadBalancers.list());
      const busy = all.find(({ provisioning_status: status }) => status !== 'ACTIVE');
      if (busy) return [busy.provisioning_status];
      const names = new Map((await Array.fromAsync(pools.list())).map(({ id, name }) => [id, name]));
      const policies = await Array.fromAsync(l7Policies.list());
      return policies
        .toSorted((a, b) => a.position - b.position)
        .map(({ name, redirect_pool_id: pool }) => `${name} -> ${names.get(pool ?? '') ?? 'the client'}`);
    }

    const certificates = () => certificatesOf(fairway.member);

    it('gets a floating IP, and serves its paths from their Services', async () => {
      const rules = [{ host: 'shop.example', http: { paths: [prefix('/', 'web'), prefix('/api', 'api')] } }];
      const metadata = { name: 'shop', namespace, annotations: INTERNAL };
      await tenant.resource(Ingresses).create({ metadata, spec: { ingressClassName: 'octavia', rules } });

      const { status } = await eventuallyObject(
        tenant.resource(Ingresses),
        { namespace, name: 'shop' },
        (ingress: Ingress) => ingress.status?.loadBalancer?.ingress?.[0]?.ip !== undefined,
        waitOptions,
      );

      const floating = await Array.fromAsync(fairway.member.network.floatingIps.list());
      expect(floating.map(({ floating_ip_address: address }) => address)).toEqual([
        status?.loadBalancer?.ingress?.[0]?.ip,
      ]);
      await expect
        .poll(routes, POLL_OPTIONS)
        .toEqual(['shop.example/api -> pool_api_80', 'shop.example/ -> pool_web_80']);
    });

    it('serves an additional path at its position, and stops serving a removed one', async () => {
      const paths = [prefix('/', 'web'), prefix('/api/v2', 'web')];
      const value = { spec: { rules: [{ host: 'shop.example', http: { paths } }] } };
      await tenant.resource(Ingresses).patch('shop', { type: 'merge', value }, { namespace });

      await expect
        .poll(routes, POLL_OPTIONS)
        .toEqual(['shop.example/api/v2 -> pool_web_80', 'shop.example/ -> pool_web_80']);
    });

    it('serves HTTPS with the certificate from a Secret, and redirects HTTP to HTTPS', async () => {
      await makeSecret('shop', 'shop.example');
      const value = { spec: { tls: [{ hosts: ['shop.example'], secretName: 'shop' }] } };
      await tenant.resource(Ingresses).patch('shop', { type: 'merge', value }, { namespace });

      await expect.poll(async () => (await certificates()).served.length, POLL_OPTIONS).toBe(1);
      await expect
        .poll(async () => (await routes()).toSorted(), POLL_OPTIONS)
        .toEqual([
          'shop.example to HTTPS -> the client',
          'shop.example/ -> pool_web_80',
          'shop.example/api/v2 -> pool_web_80',
        ]);
      const { served, stored } = await certificates();
      expect(stored).toEqual(served);
    });

    it('serves a new certificate, and another one for another host, and removes the old ones', async () => {
      const [old] = (await certificates()).served;
      await makeSecret('more', 'more.example');
      const data = await tlsData('shop.example');
      await tenant.resource(Secrets).patch('shop', { type: 'merge', value: { data } }, { namespace });
      const tls = [
        { hosts: ['shop.example'], secretName: 'shop' },
        { hosts: ['more.example'], secretName: 'more' },
      ];
      await tenant.resource(Ingresses).patch('shop', { type: 'merge', value: { spec: { tls } } }, { namespace });

      await expect
        .poll(async () => {
          const { served, stored } = await certificates();
          return {
            count: served.length,
            isOldServed: served.includes(old ?? ''),
            isSame: stored.join() === served.join(),
          };
        }, POLL_OPTIONS)
        .toEqual({ count: 2, isOldServed: false, isSame: true });
    });

    it('leaves nothing behind', async () => {
      await tenant.resource(Ingresses).delete('shop', { namespace });
      await eventuallyDeleted(tenant.resource(Ingresses), { namespace, name: 'shop' }, waitOptions);

      await expect.poll(routes, POLL_OPTIONS).toEqual([]);
      const { loadBalancers } = fairway.member.loadBalancing;
      await expect.poll(async () => (await Array.fromAsync(loadBalancers.list())).length, POLL_OPTIONS).toBe(0);
      expect(await Array.fromAsync(fairway.member.network.floatingIps.list())).toEqual([]);
      expect(await certificates()).toEqual({ served: [], stored: [] });
    });
  });
});
