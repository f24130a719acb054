import { clusters } from '@fairway/api/kinds/cluster';
import { TEAM } from '@fairway/gateway/testing/test-gateway';
import { ConfigMaps, Namespaces } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_TEMPLATES, OwnTemplates } from '../../templates/own-templates.ts';
import { type Template, TemplateBody } from '../../templates/template.ts';
import { type TestCaller, TestMagnum } from '../../testing/test-magnum.ts';

const OWN_TEMPLATE = {
  coe: 'kubernetes',
  image_id: 'Ubuntu 24.04',
  flavor_id: 'b3-8',
  labels: { kube_tag: 'v1.34', fairway_plan: 'free' },
};

describe('cluster templates', () => {
  let magnum: TestMagnum;
  beforeAll(async () => {
    magnum = await TestMagnum.start();
  });
  afterAll(() => magnum?.close());

  const call = (caller: TestCaller, method: string, path = '', body?: unknown) =>
    magnum.call(caller, method, `/v1/clustertemplates${path}`, body);
  const namesFor = async (caller: TestCaller) =>
    (await call(caller, 'GET')).body.clustertemplates.map(({ name }: { name: string }) => name);

  test('are generated from plans and versions, for all users, with stable UUIDs', async () => {
    const { body } = await call('rita', 'GET', '/k8s-1.35-standard');

    expect(body).toMatchObject({
      uuid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-/),
      coe: 'kubernetes',
      public: true,
      hidden: false,
      network_driver: 'cilium',
      labels: { kube_tag: expect.stringMatching(/^v1\.35\.\d+$/), fairway_plan: 'standard' },
    });
    expect((await call('olga', 'GET', `/${body.uuid}`)).body).toEqual(body);
    expect((await call('alice', 'DELETE', `/${body.uuid}`)).status).toBe(403);
    expect(
      (await call('alice', 'PATCH', `/${body.uuid}`, [{ op: 'replace', path: '/name', value: 'mine' }])).status,
    ).toBe(403);
  });

  test('are stored, changed, used and deleted by a tenant, and hidden from other tenants', async () => {
    const { status, body } = await call('alice', 'POST', '', {
      ...OWN_TEMPLATE,
      name: 'own',
      dns_nameserver: '9.9.9.9',
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { name: 'own', public: false, project_id: 'project-team', user_id: 'id-of-alice' },
    });
    expect(await namesFor('alice')).toContain('own');
    expect(await namesFor('olga')).not.toContain('own');
    expect((await call('olga', 'GET', `/${body.uuid}`)).status).toBe(404);

    const changed = await call('alice', 'PATCH', '/own', [
      { op: 'replace', path: '/labels', value: { ...OWN_TEMPLATE.labels, a: 'b' } },
    ]);
    expect(changed).toMatchObject({ status: 200, body: { uuid: body.uuid, labels: { a: 'b' } } });

    await magnum.call('alice', 'POST', '/v1/clusters', { name: 'of-own', cluster_template_id: body.uuid });
    const cluster = await magnum.gateway.as('alice').resource(clusters).get('of-own', { namespace: TEAM });
    expect(cluster.spec).toMatchObject({
      plan: 'free',
      version: '1.34',
      image: 'Ubuntu 24.04',
      network: { dnsNameservers: ['9.9.9.9'] },
    });
    expect((await magnum.call('alice', 'GET', '/v1/clusters/of-own')).body.cluster_template_id).toBe(body.uuid);

    expect((await call('alice', 'DELETE', '/own')).body.errors[0].detail).toMatch(
      /is referenced by one or multiple clusters/,
    );
    expect((await call('alice', 'PATCH', '/own', [{ op: 'replace', path: '/image_id', value: 'x' }])).status).toBe(400);
    expect((await call('alice', 'PATCH', '/own', [{ op: 'replace', path: '/name', value: 'renamed' }])).body.name).toBe(
      'renamed',
    );
    await magnum.call('alice', 'DELETE', '/v1/clusters/of-own');
    expect((await call('alice', 'DELETE', '/renamed')).status).toBe(204);
    expect((await call('alice', 'GET', '/renamed')).status).toBe(404);
  });

  test('are not updated after a concurrent change or deletion', async () => {
    await call('alice', 'POST', '', { ...OWN_TEMPLATE, name: 'shared' });
    const own = new OwnTemplates(magnum.gateway.gateway.client, () => undefined, Math.random);
    const read = (await own.list(TEAM)).find(({ name }) => name === 'shared') as Template;
    await call('alice', 'PATCH', '/shared', [{ op: 'replace', path: '/flavor_id', value: 'b3-16' }]);

    const staleReplace = own.replace(read, { ...read.fields, name: 'late' } as TemplateBody, '2026-01-01T00:00:00Z');
    await expect(staleReplace).rejects.toMatchObject({ code: 409 });
    expect((await call('alice', 'GET', '/shared')).body.flavor_id).toBe('b3-16');

    await own.delete(read);
    await own.delete(read);
    const secondReplace = own.replace(read, read.fields as TemplateBody, '2026-01-01T00:00:00Z');
    await expect(secondReplace).rejects.toMatchObject({ status: 404 });
  });

  test('are available from a tenant’s first request, before caches contain its namespace', async () => {
    magnum.hideFromCaches(TEAM);
    const { body } = await magnum.call('alice', 'POST', '/v1/clustertemplates', { ...OWN_TEMPLATE, name: 'early' });
    expect(body).toMatchObject({ project_id: 'project-team' });

    expect((await magnum.call('alice', 'DELETE', `/v1/clustertemplates/${body.uuid}`)).status).toBe(204);
    magnum.hideFromCaches('');
  });

  test('are published only by administrators', async () => {
    expect((await call('alice', 'POST', '', { ...OWN_TEMPLATE, name: 'ours', public: true })).status).toBe(403);
    expect((await call('admin', 'POST', '', { ...OWN_TEMPLATE, name: 'for-all', public: true })).status).toBe(201);

    expect(await namesFor('alice')).toContain('for-all');
    expect((await call('alice', 'DELETE', '/for-all')).status).toBe(403);
    expect((await call('admin', 'DELETE', '/for-all')).status).toBe(204);
  });

  test('cannot be created by users with only read access', async () => {
    expect((await call('rita', 'POST', '', OWN_TEMPLATE)).body.errors[0].detail).toBe(
      "Policy doesn't allow clustertemplate:create to be performed.",
    );
  });

  test.each<{ reason: string; body: object; detail: RegExp }>([
    { reason: 'another engine', body: { coe: 'swarm' }, detail: /^coe: Cluster type swarm/ },
    { reason: 'proxy exceptions without a proxy', body: { no_proxy: 'a' }, detail: /^no_proxy has no effect without/ },
    { reason: 'disabled TLS', body: { tls_disabled: true }, detail: /^tls_disabled/ },
    { reason: 'a registry', body: { registry_enabled: true }, detail: /^registry_enabled/ },
    { reason: 'bare metal', body: { server_type: 'bm' }, detail: /^server_type must be vm/ },
    { reason: 'an unknown network', body: { network_driver: 'weave' }, detail: /^network_driver weave/ },
    {
      reason: 'a network driver named like an inherited property',
      body: { network_driver: 'constructor' },
      detail: /^network_driver constructor/,
    },
    {
      reason: 'too many labels',
      body: { labels: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`l${i}`, ''])) },
      detail: /at most 100/,
    },
    {
      reason: 'labels that are too long',
      body: { labels: Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`l${i}`, 'x'.repeat(4000)])) },
      detail: /the limit is 16384/,
    },
  ])('refuse $reason', async ({ body, detail }) => {
    const response = await call('alice', 'POST', '', { ...OWN_TEMPLATE, ...body });
    expect(response.status).toBe(400);
    expect(response.body.errors[0].detail).toMatch(detail);
  });

  test('are not changed by a patch whose path does not name an attribute', async () => {
    await call('alice', 'POST', '', { ...OWN_TEMPLATE, name: 'plain' });
    const response = await call('alice', 'PATCH', '/plain', [
      { op: 'add', path: '/__proto__', value: { public: true } },
    ]);

    expect(response.status).toBe(400);
    expect(response.body.errors[0].detail).toMatch(/Unknown attribute: __proto__/);
  });

  test('are distinguished by UUID if they have the same name', async () => {
    const [first] = await Promise.all([
      call('alice', 'POST', '', { ...OWN_TEMPLATE, name: 'twin' }),
      call('alice', 'POST', '', { ...OWN_TEMPLATE, name: 'twin' }),
    ]);
    expect((await call('alice', 'GET', '/twin')).status).toBe(409);
    expect((await call('alice', 'GET', `/${first.body.uuid}`)).status).toBe(200);
  });

  test(`are limited to ${MAX_TEMPLATES} per project, even if several replicas create them concurrently`, async () => {
    const configMaps = magnum.gateway.gateway.client.resource(ConfigMaps);
    await magnum.gateway.gateway.client.resource(Namespaces).create({ metadata: { name: 'flood' }, spec: {} });
    const labels = { 'fairway.dev/magnum-template': 'private' };
    // Earlier releases used such names.
    await configMaps.create({ metadata: { namespace: 'flood', generateName: 'magnum-template-', labels } });
    const replicas = [1, 2].map(() => new OwnTemplates(magnum.gateway.gateway.client, () => undefined, Math.random));
    const all = replicas.flatMap((own) =>
      Array.from({ length: MAX_TEMPLATES }, () => own.create('flood', TemplateBody.parse(OWN_TEMPLATE), 'user')),
    );
    const outcomes = await Promise.allSettled(all);
    const { items } = await configMaps.list({ namespace: 'flood', labelSelector: 'fairway.dev/magnum-template' });

    expect(items).toHaveLength(MAX_TEMPLATES);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_TEMPLATES - 1);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []));
    expect(refusals.filter((text) => !text.includes('maximum cluster templates per project'))).toEqual([]);
  });
});
