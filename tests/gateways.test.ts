import { type CustomResourceDefinition, CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { Gateways, HttpRoutes } from '@fairway/cloud-provider/gateways/kinds';
import { parseGateway, parseHttpRoute } from '@fairway/cloud-provider/gateways/parse';
import { DEFINITIONS } from '@fairway/cloud-provider/gateways/testing/definitions';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Services } from '@fairway/kube/kinds/resources';
import type { ResourceType } from '@fairway/kube/object/meta';
import { eventually, eventuallyGone } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FairwayOnCloud } from './main-job/fairway-on-cloud.ts';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { TenantStory } from './main-job/tenant-story.ts';

const namespace = 'default';
const patience = { deadlineMs: 400_000 };
/** For what the next list of load balancers shows. */
const POLL = { timeout: 400_000, interval: 1_000 };

/** The same story on the simulated cloud and on a real one, with Octavia: each step builds on the one before. */
describe.each(JOB_TARGETS)('Gateways on $name', (target) => {
  describe.skipIf(target.isMissing)('from a Gateway to nothing left', () => {
    let story: TenantStory;
    let fairway: FairwayOnCloud;
    let tenant: KubeClient;

    beforeAll(async () => {
      story = await TenantStory.begin(target, 'shop', 1);
      ({ fairway, tenant } = story);
      for (const definition of DEFINITIONS) await tenant.resource(CustomResourceDefinitions).create(definition);
      const service = { type: 'NodePort', ports: [{ port: 80, protocol: 'TCP' }] };
      await tenant.resource(Services).create({ metadata: { name: 'web', namespace }, spec: service });
      const isEstablished = ({ status }: CustomResourceDefinition) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false;
      await eventually(
        tenant.resource(CustomResourceDefinitions),
        {},
        (all) => all.length >= DEFINITIONS.length && all.every(isEstablished),
        patience,
      );
    });

    afterAll(() => story?.end());

    it('gets a floating address, and a route is served but for what redirects', async () => {
      const listeners = [{ name: 'http', port: 80, protocol: 'HTTP' }];
      const path = {
        path: { type: 'PathPrefix', value: '/.well-known' },
        headers: [{ name: 'X-Version', value: '2' }],
      };
      const redirect = { type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } };
      const rules = [{ matches: [path], backendRefs: [{ name: 'web', port: 80 }] }, { filters: [redirect] }];
      const make = (type: ResourceType, spec: object) => {
        const apiVersion = `${type.group}/${type.version}`;
        const object = { apiVersion, kind: type.kind, metadata: { name: 'shop', namespace }, spec };
        return tenant.resource(type).create(object);
      };
      await make(HttpRoutes, { parentRefs: [{ name: 'shop' }], hostnames: ['shop.example'], rules });
      await make(Gateways, { gatewayClassName: 'octavia', listeners });

      const gateway = async () => parseGateway(await tenant.resource(Gateways).get('shop', { namespace }));
      await expect.poll(async () => (await gateway()).status.addresses?.length, POLL).toBe(1);
      const { status } = await gateway();
      const { parents } = parseHttpRoute(await tenant.resource(HttpRoutes).get('shop', { namespace }));
      const floating = await Array.fromAsync(fairway.member.network.floatingIps.list());
      const policies = await Array.fromAsync(fairway.member.loadBalancing.l7Policies.list());
      expect(status.addresses?.map(({ value }) => value)).toEqual(floating.map((each) => each.floating_ip_address));
      expect(status.conditions.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
        'Accepted True',
        'Programmed True',
      ]);
      expect(parents[0]?.conditions.map(({ type, status: is }) => `${type} ${is}`)).toEqual([
        'Accepted True',
        'ResolvedRefs True',
      ]);
      expect(policies.map(({ redirect_prefix }) => redirect_prefix ?? 'a pool').sort()).toEqual([
        'a pool',
        'https://shop.example',
        'https://shop.example',
      ]);
    });

    it('leaves nothing when it goes', async () => {
      await tenant.resource(Gateways).delete('shop', { namespace });
      await eventuallyGone(tenant.resource(Gateways), { namespace, name: 'shop' }, patience);

      expect(await Array.fromAsync(fairway.member.network.floatingIps.list())).toEqual([]);
      await expect
        .poll(async () => (await Array.fromAsync(fairway.member.loadBalancing.loadBalancers.list())).length, POLL)
        .toBe(0);
    });
  });
});
