import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { Gateways, HttpRoutes } from '@fairway/cloud-provider/gateways/kinds';
import { parseGateway, parseHttpRoute } from '@fairway/cloud-provider/gateways/parse';
import { DEFINITIONS } from '@fairway/cloud-provider/gateways/testing/definitions';
import { tlsData } from '@fairway/cloud-provider/tls/testing/tls-secret';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Secrets, Services } from '@fairway/kube/kinds/resources';
import type { ResourceType } from '@fairway/kube/object/meta';
import { eventually, eventuallyDeleted } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FairwayOnCloud } from './main-job/fairway-on-cloud.ts';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { certificatesOf } from './main-job/served-certificates.ts';
import { TenantScenario } from './main-job/tenant-scenario.ts';

const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };
/** For waiting until load balancers are listed again. */
const POLL_OPTIONS = { timeout: 400_000, interval: 1_000 };

const HTTP = { name: 'http', port: 80, protocol: 'HTTP' };
const HTTPS = { name: 'https', port: 443, protocol: 'HTTPS', tls: { certificateRefs: [{ name: 'shop' }] } };
const WEB = [{ name: 'web', port: 80 }];
const WELL_KNOWN = {
  path: { type: 'PathPrefix', value: '/.well-known' },
  headers: [{ name: 'X-Version', value: '2' }],
};
const TO_HTTPS = { type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } };

/**
 * The same scenario on the simulated cloud and on a real one, with Octavia and Barbican. Each step builds on the
 * previous one.
 */
describe.each(JOB_TARGETS)('Gateways on $name', (target) => {
  describe.skipIf(target.isMissing)('the lifecycle of a Gateway', () => {
    let scenario: TenantScenario;
    let fairway: FairwayOnCloud;
    let tenant: KubeClient;

    beforeAll(async () => {
      scenario = await TenantScenario.begin(target, 'shop', 1);
      ({ fairway, tenant } = scenario);
      for (const definition of DEFINITIONS) await tenant.resource(CustomResourceDefinitions).create(definition);
      const service = { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP' }] };
      await tenant.resource(Services).create({ metadata: { name: 'web', namespace }, spec: service });
      const isEstablished = ({ status }: CustomResourceDefinition) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false;
      await eventually(
        tenant.resource(CustomResourceDefinitions),
        {},
        (all) => all.length >= DEFINITIONS.length && all.every(isEstablished),
        waitOptions,
      );
    });

    afterAll(() => scenario?.end());

    function make(type: ResourceType, name: string, spec: object) {
      const apiVersion = `${type.group}/${type.version}`;
      const object = { apiVersion, kind: type.kind, metadata: { name, namespace }, spec };
      return tenant.resource(type).create(object);
    }

    function change(type: ResourceType, name: string, spec: object) {
      return tenant.resource(type).patch(name, { type: 'merge', value: { spec } }, { namespace });
    }

    async function conditions(): Promise<readonly string[]> {
      const { status } = parseGateway(await tenant.resource(Gateways).get('shop', { namespace }));
      const all = [...status.conditions, ...status.listeners.flatMap((listener) => listener.conditions)];
      return all.filter(({ status: is }) => is === 'True').map(({ type }) => type);
    }

    /** The targets, as `port name -> target`, once no change is in progress. */
    async function routes(): Promise<readonly string[]> {
      const { loadBalancers, listeners, l7Policies } = fairway.member.loadBalancing;
      const all = await Array.fromAsync(loadBalancers.list());
      const busy = all.find(({ provisioning_status: status }) => status !== 'ACTIVE');
      if (busy) return [busy.provisioning_status];
      const ports = new Map((await Array.fromAsync(listeners.list())).map((each) => [each.id, each.protocol_port]));
      const policies = await Array.fromAsync(l7Policies.list());
      return policies
        .map((policy) => `${ports.get(policy.listener_id)} ${policy.name} -> ${policy.redirect_prefix ?? 'a pool'}`)
        .toSorted();
    }

    it('gets a floating IP, and serves a route except for the requests that it redirects', async () => {
      await make(HttpRoutes, 'shop', {
        parentRefs: [{ name: 'shop', sectionName: 'http' }],
        hostnames: ['shop.example'],
        rules: [{ matches: [WELL_KNOWN], backendRefs: WEB }, { filters: [TO_HTTPS] }],
      });
      await make(Gateways, 'shop', { gatewayClassName: 'octavia', listeners: [HTTP] });

      const gateway = async () => parseGateway(await tenant.resource(Gateways).get('shop', { namespace }));
      await expect.poll(async () => (await gateway()).status.addresses?.length, POLL_OPTIONS).toBe(1);
      const { status } = await gateway();
      const { parents } = parseHttpRoute(await tenant.resource(HttpRoutes).get('shop', { namespace }));
      const floating = await Array.fromAsync(fairway.member.network.floatingIps.list());
      expect(status.addresses?.map(({ value }) => value)).toEqual(floating.map((each) => each.floating_ip_address));
      expect(status.conditions.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
        'Accepted True',
        'Programmed True',
      ]);
      expect(parents[0]?.conditions.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
        'Accepted True',
        'ResolvedRefs True',
      ]);
      expect(await routes()).toEqual([
        '80 shop.example/ -> https://shop.example',
        '80 shop.example/ -> https://shop.example',
        '80 shop.example/.well-known x-version=2 -> a pool',
      ]);
    });

    it('serves an added and a changed route, and stops serving a removed one', async () => {
      await make(HttpRoutes, 'more', {
        parentRefs: [{ name: 'shop' }],
        hostnames: ['more.example'],
        rules: [{ backendRefs: WEB }],
      });
      await expect.poll(routes, POLL_OPTIONS).toContain('80 more.example/ -> a pool');

      await change(HttpRoutes, 'shop', {
        rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/api' } }], backendRefs: WEB }],
      });
      await expect.poll(routes, POLL_OPTIONS).toEqual(['80 more.example/ -> a pool', '80 shop.example/api -> a pool']);

      await tenant.resource(HttpRoutes).delete('more', { namespace });
      await expect.poll(routes, POLL_OPTIONS).toEqual(['80 shop.example/api -> a pool']);
    });

    it('serves HTTPS with the certificate from a Secret once it exists', async () => {
      await make(HttpRoutes, 'secure', {
        parentRefs: [{ name: 'shop', sectionName: 'https' }],
        hostnames: ['shop.example'],
        rules: [{ backendRefs: WEB }],
      });
      await change(Gateways, 'shop', { listeners: [HTTP, HTTPS] });
      const data = await tlsData('shop.example');
      await tenant.resource(Secrets).create({ metadata: { name: 'shop', namespace }, type: 'kubernetes.io/tls', data });

      await expect.poll(routes, POLL_OPTIONS).toEqual(['443 shop.example/ -> a pool', '80 shop.example/api -> a pool']);
      const { served, stored } = await certificatesOf(fairway.member);
      expect(served).toHaveLength(1);
      expect(stored).toEqual(served);
      await expect
        .poll(conditions, POLL_OPTIONS)
        .toEqual([
          'Accepted',
          'Programmed',
          ...['http', 'https'].flatMap(() => ['Accepted', 'ResolvedRefs', 'Programmed']),
        ]);
    });

    it('serves a new certificate, and removes the old one', async () => {
      const [old] = (await certificatesOf(fairway.member)).served;
      const data = await tlsData('shop.example');
      await tenant.resource(Secrets).patch('shop', { type: 'merge', value: { data } }, { namespace });

      await expect
        .poll(async () => {
          const { served, stored } = await certificatesOf(fairway.member);
          return { count: served.length, isOld: served[0] === old, isSame: stored.join() === served.join() };
        }, POLL_OPTIONS)
        .toEqual({ count: 1, isOld: false, isSame: true });
    });

    it('leaves nothing when it is deleted', async () => {
      await tenant.resource(Gateways).delete('shop', { namespace });
      await eventuallyDeleted(tenant.resource(Gateways), { namespace, name: 'shop' }, waitOptions);

      expect(await Array.fromAsync(fairway.member.network.floatingIps.list())).toEqual([]);
      await expect
        .poll(
          async () => (await Array.fromAsync(fairway.member.loadBalancing.loadBalancers.list())).length,
          POLL_OPTIONS,
        )
        .toBe(0);
      expect(await certificatesOf(fairway.member)).toEqual({ served: [], stored: [] });
    });
  });
});
