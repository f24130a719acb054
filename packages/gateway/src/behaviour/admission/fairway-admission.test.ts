import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RawReply } from '../../testing/raw-reply.ts';
import { FORMS, refusal, TEAM, TestGateway, UNKNOWN_CLOUD_TEAM } from '../../testing/test-gateway.ts';

const PATH = `/apis/${API_VERSION}/namespaces`;
/** After this time on the gateway's accelerated clock, cached lists from the cloud are refreshed. */
const CATALOGUE_AGE_MS = 61_000;
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

describe.each(FORMS)('%s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form, undefined, undefined, { keystoneProblem: 'it knows none: remove it' });
    await gateway.populate();
    await gateway.createCluster('demo');
  });
  afterAll(() => gateway.close());

  function fieldsOf(error: { readonly causes: readonly { field?: string; message?: string }[] }) {
    return Object.fromEntries(error.causes.map(({ field = '', message = '' }) => [field, message]));
  }

  test('refuses an unenforceable address allow-list, with advice', async () => {
    const refused = await refusal(gateway.createCluster('wrong', { apiServer: { allowedCIDRs: ['192.0.2.0/24'] } }));

    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(fieldsOf(refused)).toEqual({
      'spec.apiServer.allowedCIDRs': expect.stringContaining('it is not enforced here: leave it out'),
    });
  });

  test('refuses Keystone users if Keystone is not available, with advice', async () => {
    const refused = await refusal(gateway.createCluster('wrong', { apiServer: { keystone: {} } }));

    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(fieldsOf(refused)).toEqual({
      'spec.apiServer.keystone': expect.stringContaining('it knows none: remove it'),
    });
  });

  describe('refuses resources that the cloud does not have, naming the field and the alternatives', () => {
    test.each([
      {
        what: 'a flavor',
        pool: { flavor: 'b3-9' },
        field: 'spec.flavor',
        says: 'b3-8',
      },
      {
        what: 'an image',
        pool: { image: 'Ubuntu 99.04' },
        field: 'spec.image',
        says: 'Ubuntu 24.04',
      },
      {
        what: 'a zone',
        pool: { availabilityZones: ['nova-a', 'nova-z'] },
        field: 'spec.availabilityZones[1]',
        says: 'nova-b',
      },
    ])('$what of a pool', async ({ pool, field, says }) => {
      const refused = await refusal(gateway.createPool('wrong', pool));

      expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(fieldsOf(refused)).toEqual({ [field]: expect.stringContaining(says) });
    });

    test.each([
      { what: 'a network', cluster: { network: { networkID: UNKNOWN_ID } }, field: 'spec.network.networkID' },
      { what: 'a region', cluster: { region: 'Atlantis' }, field: 'spec.region' },
      { what: 'an image', cluster: { image: 'CP/M' }, field: 'spec.image' },
    ])('$what of a cluster', async ({ cluster, field }) => {
      const refused = await refusal(gateway.createCluster('wrong', cluster));

      expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
      expect(fieldsOf(refused)).toHaveProperty([field]);
    });

    test.each([
      { what: 'plan', cluster: { plan: 'gold' }, field: 'spec.plan', says: 'free' },
      { what: 'version', cluster: { version: '1.12' }, field: 'spec.version', says: 'choose one of 1.' },
    ])('a $what that the operator does not offer', async ({ cluster, field, says }) => {
      const refused = await refusal(gateway.createCluster('wrong', cluster));

      expect(fieldsOf(refused)).toEqual({ [field]: expect.stringContaining(says) });
    });

    test('finds a recently created resource', async () => {
      await gateway.createPool('warm');
      const { client } = gateway.project(TEAM);
      const network = await client.network.networks.create({ name: 'just-made' });
      const subnet = { name: 'just-made', network_id: network.id, ip_version: 4 as const, cidr: '10.9.0.0/24' };
      const { id } = await client.network.subnets.create(subnet);
      const spec = { network: { networkID: network.id, subnetID: id, gateway: { mode: 'None' as const } } };

      await expect(gateway.createCluster('brought', spec)).resolves.toMatchObject({ spec });
    });
  });

  describe('checks the properties of the cloud network', () => {
    async function existingNetwork(name: string, cidr: string) {
      const { client } = gateway.project(TEAM);
      const { network } = client;
      const { id: networkID } = await network.networks.create({ name });
      const { id: subnetID } = await network.subnets.create({ name, network_id: networkID, ip_version: 4, cidr });
      return { network, networkID, subnetID };
    }

    test('refuses a router without an external gateway if the plan needs one', async () => {
      const { network, networkID, subnetID } = await existingNetwork('closed', '10.91.0.0/24');
      const router = await network.routers.create({ name: 'closed' });
      await network.routers.addInterface(router.id, { subnet_id: subnetID });
      const spec = { plan: 'standard', version: '1.35', network: { networkID, subnetID } };
      gateway.clock.skip(CATALOGUE_AGE_MS);

      const refused = await refusal(gateway.createCluster('closed', spec));
      const [external] = (await Array.fromAsync(network.networks.list({ 'router:external': true }))).values();
      await network.routers.update(router.id, { external_gateway_info: { network_id: external?.id ?? '' } });

      expect(fieldsOf(refused)).toEqual({
        'spec.network.gateway.mode': expect.stringContaining(`${router.id} ("closed") has no external gateway`),
      });
      await expect(gateway.createCluster('opened', spec)).resolves.toBeDefined();
    });

    test('refuses a router that is not attached to the subnet', async () => {
      const { network, networkID, subnetID } = await existingNetwork('apart', '10.92.0.0/24');
      const { id: routerID } = await network.routers.create({ name: 'apart' });
      const spec = { network: { networkID, subnetID, gateway: { routerID } } };

      const refused = await refusal(gateway.createCluster('apart', spec));

      expect(fieldsOf(refused)).toEqual({
        'spec.network.gateway.routerID': expect.stringContaining(`is not attached to subnet ${subnetID}`),
      });
    });

    test('refuses more nodes than a specified subnet has addresses for', async () => {
      const { networkID, subnetID } = await existingNetwork('narrow', '10.93.0.0/28');
      const network = { networkID, subnetID, gateway: { mode: 'None' as const } };
      await gateway.createCluster('narrow', { network });

      const refused = await refusal(gateway.createPool('narrow', { clusterName: 'narrow', replicas: 20 }));

      expect(fieldsOf(refused)).toEqual({ 'spec.replicas': expect.stringContaining('has room for 10 nodes') });
    });
  });

  describe('a namespace without a cloud', () => {
    test.each([
      ['cluster', () => gateway.createCluster('demo', {}, UNKNOWN_CLOUD_TEAM)],
      ['pool', () => gateway.createPool('general', {}, UNKNOWN_CLOUD_TEAM)],
    ])('does not accept a %s, and explains what the operator must do', async (_, create) => {
      const refused = await refusal(create());

      expect(refused).toMatchObject({ code: 403, reason: 'Forbidden' });
      expect(refused.message).toContain('namespace "cloudless" has no cloud');
      expect(refused.message).toContain('ask the operator to set the annotation fairway.dev/cloud on it');
    });
  });

  describe('a change', () => {
    test('to metadata only does not query the cloud', async () => {
      const { metadata } = await gateway.createPool('labelled');
      gateway.clock.skip(CATALOGUE_AGE_MS);
      const before = gateway.cloudCallCount;
      const value = { metadata: { labels: { team: 'a' }, annotations: { note: 'b' } } };
      const changed = await gateway
        .as('alice')
        .resource(nodePools)
        .patch('labelled', { type: 'merge', value }, { namespace: TEAM });

      expect(changed.metadata).toMatchObject({ ...value.metadata, generation: metadata.generation });
      expect(gateway.cloudCallCount).toBe(before);
    });

    test('to status only does not query the cloud', async () => {
      gateway.clock.skip(CATALOGUE_AGE_MS);
      const before = gateway.cloudCallCount;
      await gateway.setEndpoint('demo');

      expect(gateway.cloudCallCount).toBe(before);
    });

    test('to the spec queries the cloud if the cached lists are older than a minute', async () => {
      await gateway.createPool('changed');
      gateway.clock.skip(CATALOGUE_AGE_MS);
      const before = gateway.cloudCallCount;
      const value = { spec: { replicas: 2 } };
      await gateway.as('alice').resource(nodePools).patch('changed', { type: 'merge', value }, { namespace: TEAM });

      expect(gateway.cloudCallCount).toBeGreaterThan(before);
    });

    test('is validated in a dry run like a real one', async () => {
      const body = poolBody('tried', { flavor: 'b3-9' });

      expect((await post('nodepools', body, '?dryRun=All')).status).toBe(422);
    });
  });

  function poolBody(name: string, spec: object) {
    return {
      apiVersion: API_VERSION,
      kind: nodePools.kind,
      metadata: { name },
      spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 1, ...spec },
    };
  }

  function post(plural: string, body: object, query = ''): Promise<RawReply> {
    return gateway.call('alice', 'POST', `${PATH}/${TEAM}/${plural}${query}`, body);
  }

  describe('requesting more nodes than the plan allows', () => {
    /** `kubectl scale`. */
    function scale(name: string, replicas: number): Promise<RawReply> {
      return gateway.call('alice', 'PATCH', `${PATH}/${TEAM}/nodepools/${name}/scale`, { spec: { replicas } });
    }

    beforeAll(async () => {
      await gateway.createCluster('big');
      await gateway.createPool('first', { clusterName: 'big', replicas: 60 });
      await gateway.createPool('second', { clusterName: 'big', replicas: 1 });
    });

    test('is also refused through the scale subresource', async () => {
      expect(await scale('second', 41)).toMatchObject({
        status: 422,
        body: {
          details: {
            causes: [{ field: 'spec.replicas', message: expect.stringContaining('must be at most 40') }],
          },
        },
      });
    });

    test('is accepted at exactly the limit', async () => {
      expect(await scale('second', 40)).toMatchObject({ status: 200, body: { spec: { replicas: 40 } } });
      expect(await scale('second', 2)).toMatchObject({ status: 200, body: { spec: { replicas: 2 } } });
    });

    test('is refused on creation', async () => {
      const refused = await refusal(gateway.createPool('third', { clusterName: 'big', replicas: 100 }));

      expect(fieldsOf(refused)).toHaveProperty(['spec.replicas']);
    });
  });

  describe('a cloud that does not respond', () => {
    const rules: string[] = [];
    afterEach(() => {
      for (const id of rules.splice(0)) gateway.cloud.faults.remove(id);
    });

    test.each([
      { service: 'image' as const, list: 'images' },
      { service: 'network' as const, list: 'networks' },
    ])('names $list in the warning if only that list fails', async ({ service, list }) => {
      gateway.clock.skip(CATALOGUE_AGE_MS);
      rules.push(gateway.cloud.faults.add({ service, times: null, action: { kind: 'answer', status: 503 } }));
      const { status, warnings } = await post('nodepools', poolBody(`without-${list}`, {}));

      expect(status).toBe(201);
      // A service that has just failed is not queried again immediately.
      expect(warnings).toMatch(new RegExp(`the cloud does not respond: (images and )?${list} will be checked later`));
    });

    test.each([
      { how: 'is silent', action: { kind: 'delay', delayMs: 3_600_000 } as const },
      { how: 'is out of order', action: { kind: 'answer', status: 503 } as const },
    ])('admits the request with a warning if the whole cloud $how', async ({ how, action }) => {
      gateway.clock.skip(CATALOGUE_AGE_MS);
      for (const service of ['compute', 'network', 'image'] as const) {
        rules.push(gateway.cloud.faults.add({ service, times: null, action }));
      }
      const name = how.replaceAll(' ', '-');
      const { status, warnings } = await post('nodepools', poolBody(name, { flavor: 'never-heard-of' }));

      expect(status).toBe(201);
      expect(warnings).toContain('the cloud does not respond: flavors, images and networks will be checked later');
    });
  });

  describe('a pool before its cluster', () => {
    test('is admitted with a warning', async () => {
      const { status, warnings } = await post('nodepools', poolBody('early', { clusterName: 'later' }));

      expect(status).toBe(201);
      expect(warnings).toContain('the namespace has no cluster \\"later\\" yet');
    });
  });

  test('leaves a cluster unchanged after a refused change', async () => {
    const value = { spec: { version: '1.12' } };
    const client = gateway.as('alice').resource(clusters);
    const before = await client.get('demo', { namespace: TEAM });
    await refusal(client.patch('demo', { type: 'merge', value }, { namespace: TEAM }));

    expect(await client.get('demo', { namespace: TEAM })).toEqual(before);
  });
});
