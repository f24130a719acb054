import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { TEAM } from '@fairway/gateway/testing/test-gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordAnnotation } from '../../clusters/record.ts';
import { TestMagnum } from '../../testing/test-magnum.ts';

const DEFAULTS = { cluster_template_id: 'k8s-1.34-free', flavor_id: 'b3-8' };

describe("clusters of Magnum's API", () => {
  let magnum: TestMagnum;
  beforeAll(async () => {
    magnum = await TestMagnum.start();
  });
  afterAll(() => magnum?.close());

  async function create(name: string, overrides: object = {}) {
    const { status, body } = await magnum.call('alice', 'POST', '/v1/clusters', { ...DEFAULTS, name, ...overrides });
    expect({ status, body }).toEqual({ status: 202, body: { uuid: expect.any(String) } });
    return body.uuid as string;
  }

  const stored = (name: string) => magnum.gateway.as('operator').resource(clusters).get(name, { namespace: TEAM });
  const pool = (name: string) => magnum.gateway.as('operator').resource(nodePools).get(name, { namespace: TEAM });

  test('a new cluster is stored as a Cluster and a NodePool, and is readable immediately', async () => {
    const labels = { availability_zone: 'nova-a', fancy: 'yes' };
    const uuid = await create('first', {
      node_count: 2,
      keypair: 'mine',
      labels,
      merge_labels: true,
      create_timeout: 30,
    });

    const cluster = await stored('first');
    expect(cluster.metadata.uid).toBe(uuid);
    expect(cluster.spec).toMatchObject({ plan: 'free', version: '1.34' });
    expect((await pool('first-worker')).spec).toMatchObject({
      clusterName: 'first',
      flavor: 'b3-8',
      replicas: 2,
      availabilityZones: ['nova-a'],
    });

    const { body } = await magnum.call('alice', 'GET', '/v1/clusters/first');
    expect(body).toMatchObject({
      uuid,
      name: 'first',
      status: 'CREATE_IN_PROGRESS',
      node_count: 2,
      master_count: 1,
      keypair: 'mine',
      flavor_id: 'b3-8',
      create_timeout: 30,
      cluster_id: uuid,
      project_id: 'project-team',
      user_id: 'id-of-alice',
      labels_added: labels,
      labels_overridden: {},
    });
    expect(body.status_reason).toContain('labels without effect: fancy');
    expect(body.cluster_template_id).toBe(
      (await magnum.call('alice', 'GET', '/v1/clustertemplates/k8s-1.34-free')).body.uuid,
    );
  });

  test('networks are looked up and returned by name', async () => {
    const { network } = magnum.gateway.project(TEAM).client;
    const { id: network_id } = await network.networks.create({ name: 'lan' });
    await network.subnets.create({ network_id, name: 'sub', cidr: '192.168.7.0/24', ip_version: 4 });
    await create('named', { fixed_network: 'lan', fixed_subnet: 'sub' });

    expect((await stored('named')).spec.network).toMatchObject({ networkID: network_id, subnetID: expect.any(String) });
    expect((await magnum.call('alice', 'GET', '/v1/clusters/named')).body).toMatchObject({
      fixed_network: 'lan',
      fixed_subnet: 'sub',
    });
  });

  test('a cluster created with kubectl is listed, with its pool as the default worker', async () => {
    await magnum.gateway.createCluster('by-kubectl', { version: '1.34' });
    await magnum.gateway.createPool('by-kubectl-general', { clusterName: 'by-kubectl', replicas: 3 });

    const { body } = await magnum.call('alice', 'GET', '/v1/clusters');
    expect(body.clusters.map(({ name }: { name: string }) => name)).toContain('by-kubectl');
    const groups = await magnum.call('alice', 'GET', '/v1/clusters/by-kubectl/nodegroups');
    expect(groups.body.nodegroups).toMatchObject([
      { name: 'default-master', role: 'master', is_default: true },
      { name: 'by-kubectl-general', role: 'worker', is_default: true, node_count: 3, flavor_id: 'b3-8' },
    ]);
    await magnum.call('alice', 'PATCH', '/v1/clusters/by-kubectl', [
      { op: 'replace', path: '/node_count', value: '4' },
    ]);
    expect((await pool('by-kubectl-general')).spec.replicas).toBe(4);
  });

  test('names that are invalid in Kubernetes are stored in the object', async () => {
    const uuid = await create('My_Cluster.With-a-long-Name');

    const { body } = await magnum.call('alice', 'GET', '/v1/clusters/My_Cluster.With-a-long-Name');
    expect(body).toMatchObject({ uuid, name: 'My_Cluster.With-a-long-Name' });
    const duplicate = await magnum.call('alice', 'POST', '/v1/clusters', {
      ...DEFAULTS,
      name: 'My_Cluster.With-a-long-Name',
    });
    expect(duplicate).toMatchObject({ status: 409, body: { errors: [{ status: 409 }] } });
  });

  test.each<{ reason: string; body: object | string; status: number; detail: RegExp; version?: string }>([
    {
      reason: 'a cluster and template without a flavor',
      body: { flavor_id: null },
      status: 400,
      detail: /^flavor_id: neither/,
    },
    {
      reason: 'a flavor that does not exist',
      body: { flavor_id: 'huge' },
      status: 400,
      detail: /^flavor_id: Not found: "huge"/,
    },
    {
      reason: 'a template that does not exist',
      body: { cluster_template_id: 'none' },
      status: 404,
      detail: /ClusterTemplate none could not be found/,
    },
    {
      reason: 'a template that does not exist, with an old client',
      body: { cluster_template_id: 'none' },
      status: 400,
      detail: /ClusterTemplate none/,
      version: '1.9',
    },
    {
      reason: 'an attribute that Magnum does not have',
      body: { colour: 'red' },
      status: 400,
      detail: /Unknown attribute: colour/,
    },
    {
      reason: 'three masters for a plan with one replica',
      body: { master_count: 3 },
      status: 400,
      detail: /^master_count 3: plan free/,
    },
    {
      reason: 'a network that does not exist',
      body: { fixed_network: 'nowhere' },
      status: 400,
      detail: /^Unable to find fixed network nowhere/,
    },
    {
      reason: 'an unsupported label',
      body: { labels: { kubelet_options: '--v=9' } },
      status: 400,
      detail: /^labels.kubelet_options/,
    },
    {
      reason: 'an unknown version',
      body: { labels: { kube_tag: 'v1.2.3' } },
      status: 400,
      detail: /^labels.kube_tag: /,
    },
    {
      reason: 'zero nodes in an API version before 1.10',
      body: { node_count: 0 },
      status: 400,
      detail: /zero is not supported/,
      version: '1.9',
    },
    { reason: 'a body that is not JSON', body: '{', status: 400, detail: /not JSON/ },
    { reason: 'a name with a space', body: { name: 'a b' }, status: 400, detail: /attribute name: must start/ },
  ])('refuses $reason, with Magnum’s message', async ({ body, status, detail, version }) => {
    const requestBody = typeof body === 'string' ? body : { ...DEFAULTS, name: 'refused', ...body };
    const response = await magnum.call('alice', 'POST', '/v1/clusters', requestBody, version);

    expect(response.status).toBe(status);
    expect(response.body.errors[0]).toMatchObject({ status, code: 'client', detail: expect.stringMatching(detail) });
    await expect(stored('refused')).rejects.toMatchObject({ code: 404 });
  });

  test('a cluster is deleted again if its nodes are refused', async () => {
    const response = await magnum.call('alice', 'POST', '/v1/clusters', { ...DEFAULTS, name: 'half', node_count: 101 });

    expect(response).toMatchObject({ status: 400 });
    expect(response.body.errors[0].detail).toMatch(/^node_count: /);
    await expect(stored('half')).rejects.toMatchObject({ code: 404 });
  });

  test('a cluster can be resized by UUID or name, and shows the new size before a controller has observed it', async () => {
    const uuid = await create('sized', { node_count: 1 });

    const response = await magnum.call('alice', 'POST', '/v1/clusters/sized/actions/resize', {
      node_count: 3,
      nodes_to_remove: null,
    });
    expect(response).toMatchObject({ status: 202, body: { uuid } });
    expect((await pool('sized-worker')).spec.replicas).toBe(3);
    const { body } = await magnum.call('alice', 'GET', `/v1/clusters/${uuid}`);
    expect(body).toMatchObject({ node_count: 3 });
    expect(body.updated_at).toMatch(/\+00:00$/);

    expect((await magnum.call('alice', 'PATCH', `/v1/clusters/${uuid}`, '')).body).toEqual({ uuid });
    const outOfRange = await magnum.call('alice', 'POST', '/v1/clusters/sized/actions/resize', { node_count: 500 });
    expect(outOfRange.body.errors[0].detail).toMatch(/Resizing default-worker outside the allowed range/);
    const master = await magnum.call('alice', 'POST', '/v1/clusters/sized/actions/resize', {
      node_count: 3,
      nodegroup: 'default-master',
    });
    expect(master.status).toBe(400);
    const oldVersion = await magnum.call(
      'alice',
      'POST',
      '/v1/clusters/sized/actions/resize',
      { node_count: 3 },
      '1.6',
    );
    expect(oldVersion.status).toBe(406);
  });

  test('a cluster without nodegroups gets one when it is resized', async () => {
    await create('bare');
    await magnum.gateway.as('alice').resource(nodePools).delete('bare-worker', { namespace: TEAM });
    // An earlier release stored this record.
    const annotations = recordAnnotation({ flavor_id: 'b3-8' });
    const value = { metadata: { annotations } };
    await magnum.gateway.as('alice').resource(clusters).patch('bare', { type: 'merge', value }, { namespace: TEAM });
    expect((await magnum.call('alice', 'GET', '/v1/clusters/bare')).body.status_reason).toMatch(
      /the cluster has no nodegroup: resize it/,
    );

    expect((await magnum.call('alice', 'POST', '/v1/clusters/bare/actions/resize', { node_count: 2 })).status).toBe(
      202,
    );
    expect((await pool('bare-worker')).spec).toMatchObject({ replicas: 2, flavor: 'b3-8' });
  });

  test('a cluster uses the proxy settings from its template', async () => {
    const template = {
      name: 'proxied',
      coe: 'kubernetes',
      image_id: 'default',
      flavor_id: 'b3-8',
      http_proxy: 'http://p.example.com:3128',
      no_proxy: '.example.com,10.0.0.0/8',
    };
    const { status, body } = await magnum.call('alice', 'POST', '/v1/clustertemplates', template);
    await create('proxied', { cluster_template_id: 'proxied' });
    const passwordTemplate = { ...template, name: 'with-password', http_proxy: 'http://me:secret@p.example.com:3128' };
    await magnum.call('alice', 'POST', '/v1/clustertemplates', passwordTemplate);
    const rejected = await magnum.call('alice', 'POST', '/v1/clusters', {
      ...DEFAULTS,
      name: 'leaky',
      cluster_template_id: 'with-password',
    });

    expect({ status, body }).toMatchObject({ status: 201, body: { no_proxy: '.example.com,10.0.0.0/8' } });
    expect((await stored('proxied')).spec.proxy).toEqual({
      httpProxy: 'http://p.example.com:3128',
      noProxy: ['.example.com', '10.0.0.0/8'],
    });
    expect(rejected.status).toBe(400);
    expect(rejected.body.errors[0].detail).toMatch(/without user and password/);
  });

  test('a cluster is upgraded to the version of another template', async () => {
    const uuid = await create('aging');
    const next = { cluster_template: 'k8s-1.35-free', max_batch_size: 2 };

    expect((await magnum.call('alice', 'POST', '/v1/clusters/aging/actions/upgrade', next)).body).toEqual({ uuid });
    expect((await stored('aging')).spec.version).toBe('1.35');
    expect((await pool('aging-worker')).spec.upgradeStrategy.maxSurge).toBe(2);
    const passwordTemplate = await magnum.call('alice', 'POST', '/v1/clusters/aging/actions/upgrade', next, '1.7');
    expect(passwordTemplate.body.errors[0].detail).toMatch(/not supported in the provided microversion/);
  });

  test('a cluster keeps its rollout settings if an upgrade is refused', async () => {
    await create('newest');
    const labels = { kube_tag: 'v1.99' };
    const template = { name: 'future', coe: 'kubernetes', image_id: 'default', labels };
    expect((await magnum.call('alice', 'POST', '/v1/clustertemplates', template)).status).toBe(201);
    const next = { cluster_template: 'future', max_batch_size: 3 };

    expect((await magnum.call('alice', 'POST', '/v1/clusters/newest/actions/upgrade', next)).status).toBe(400);
    expect((await pool('newest-worker')).spec.upgradeStrategy.maxSurge).not.toBe(3);
  });

  test.each([
    ['replace', '/name', 'other'],
    ['replace', '/uuid', 'other'],
    ['add', '/labels/a', 'b'],
  ])('clients cannot %s %s', async (op, path, value) => {
    await create(`fixed-${path.slice(1).replace(/\W/g, '')}`);
    const response = await magnum.call('alice', 'PATCH', `/v1/clusters/fixed-${path.slice(1).replace(/\W/g, '')}`, [
      { op, path, value },
    ]);
    expect(response.body.errors[0].detail).toBe(`cannot change cluster property(ies) ${path.slice(1)}.`);
  });

  test('a patch that is partly refused changes nothing', async () => {
    await create('whole', { node_count: 1 });
    const response = await magnum.call('alice', 'PATCH', '/v1/clusters/whole', [
      { op: 'replace', path: '/node_count', value: 3 },
      { op: 'replace', path: '/name', value: 'other' },
    ]);

    expect(response.status).toBe(400);
    expect((await pool('whole-worker')).spec.replicas).toBe(1);
  });

  test('labels may have the names of inherited properties', async () => {
    await create('odd', { labels: { constructor: 'a' }, merge_labels: true });

    expect((await magnum.call('alice', 'GET', '/v1/clusters/odd')).body).toMatchObject({
      labels_added: { constructor: 'a' },
      labels_overridden: {},
      status_reason: expect.stringContaining('labels without effect: constructor'),
    });
  });

  test('a deleted cluster is not found', async () => {
    await create('leaving');
    expect(await magnum.call('alice', 'DELETE', '/v1/clusters/leaving')).toMatchObject({
      status: 204,
      body: undefined,
    });
    expect((await magnum.call('alice', 'GET', '/v1/clusters/leaving')).body.errors[0].detail).toBe(
      'Cluster leaving could not be found.',
    );
  });

  test('all clusters are listed page by page', async () => {
    const names: string[] = [];
    let target = '/v1/clusters?limit=2&sort_key=name';
    for (let page = 0; page < 20 && target !== ''; page++) {
      const { body } = await magnum.call('alice', 'GET', target);
      names.push(...body.clusters.map(({ name }: { name: string }) => name));
      target = (body.next ?? '').replace('https://magnum.example:9511', '');
    }
    const { body } = await magnum.call('alice', 'GET', '/v1/clusters/detail');
    expect(names).toEqual(names.toSorted());
    expect(names.length).toBe(body.clusters.length);
    expect((await magnum.call('alice', 'GET', '/v1/clusters?colour=red')).status).toBe(400);
    expect((await magnum.call('alice', 'GET', '/v1/clusters?sort_key=colour')).status).toBe(400);
  });

  describe('other users', () => {
    let uuid: string;
    beforeAll(async () => {
      uuid = await create('private');
    });

    test.each([
      ['GET', '', undefined],
      ['GET', '/nodegroups', undefined],
      ['PATCH', '', [{ op: 'replace', path: '/node_count', value: 9 }]],
      ['DELETE', '', undefined],
      ['POST', '/actions/resize', { node_count: 9 }],
      ['POST', '/actions/upgrade', { cluster_template: 'k8s-1.35-free' }],
      ['POST', '/nodegroups', { name: 'theirs' }],
    ])('cannot access another project’s cluster by %s …%s', async (method, path, body) => {
      const response = await magnum.call('olga', method, `/v1/clusters/${uuid}${path}`, body);
      expect(response.status).toBe(404);
    });

    test.each([
      ['PATCH', '', [{ op: 'replace', path: '/node_count', value: 9 }], 'cluster:update'],
      ['DELETE', '', undefined, 'cluster:delete'],
      ['POST', '/actions/resize', { node_count: 9 }, 'cluster:resize'],
      ['POST', '/actions/upgrade', { cluster_template: 'k8s-1.35-free' }, 'cluster:upgrade'],
      ['POST', '/nodegroups', { name: 'theirs' }, 'nodegroup:create'],
    ])('cannot change a cluster by %s …%s with only read access', async (method, path, body, action) => {
      expect((await magnum.call('rita', 'GET', `/v1/clusters/${uuid}`)).status).toBe(200);
      const response = await magnum.call('rita', method, `/v1/clusters/${uuid}${path}`, body);
      expect(response.status).toBe(403);
      expect(response.body.errors[0].detail).toBe(`Policy doesn't allow ${action} to be performed.`);
    });

    test('cannot create anything with only read access', async () => {
      const response = await magnum.call('rita', 'POST', '/v1/clusters', { ...DEFAULTS, name: 'hers' });
      expect(response.body.errors[0].detail).toBe("Policy doesn't allow cluster:create to be performed.");
      expect((await magnum.call('rita', 'POST', '/v1/certificates', { cluster_uuid: uuid, csr: 'x' })).status).toBe(
        403,
      );
    });

    test('an administrator’s trust for their own project is refused for a cluster in another project', async () => {
      const response = await magnum.call('admin', 'PATCH', `/v1/credentials/${uuid}`);
      expect(response.status).toBe(403);
      expect(response.body.errors[0].detail).toMatch(/belongs to another project/);
    });

    test('an administrator sees the clusters in all projects', async () => {
      expect((await magnum.call('admin', 'GET', `/v1/clusters/${uuid}`)).body.name).toBe('private');
      expect((await magnum.call('olga', 'GET', '/v1/clusters')).body).toEqual({ clusters: [] });
    });

    test('unauthenticated users get 401', async () => {
      const response = await magnum.call('', 'GET', '/v1/clusters');
      expect(response).toMatchObject({ status: 401, body: { error: { code: 401, title: 'Unauthorized' } } });
    });
  });
});
