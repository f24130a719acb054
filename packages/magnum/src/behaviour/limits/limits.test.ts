import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { type PlanSpec, plans } from '@fairway/api/kinds/plan';
import { aPlan } from '@fairway/api/testing/objects';
import { TEAM } from '@fairway/gateway/testing/test-gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OwnTemplates } from '../../templates/own-templates.ts';
import { TemplateBody } from '../../templates/template.ts';
import { TestMagnum } from '../../testing/test-magnum.ts';

const LINK = 'https://example.org/limits';
const VERSION_NOTE = `Newer versions are not certified yet. See ${LINK}`;

/** As the plan of a cloud whose Magnum supports few choices: one newest version, one pod network. */
const LIMITED: Partial<PlanSpec> = {
  displayName: 'Magnum',
  kubernetes: { newest: '1.35' },
  cni: { default: 'canal', allowed: ['canal'] },
  kubeProxy: { default: 'iptables', allowed: ['iptables'] },
  allowed: { features: ['FloatingIPs'] },
  limitNotes: [
    {
      limit: 'kubernetes',
      value: '',
      enforcement: 'Refuse',
      reason: 'newer versions are not certified yet',
      link: LINK,
    },
    { limit: 'cni.allowed', value: '', enforcement: 'Refuse', reason: 'only Calico enforces our network policies' },
    { limit: 'allowed.features', value: 'Autoscaling', enforcement: 'Refuse', alternative: 'resize by hand' },
  ],
};

/** The same limits, of which requests beyond them are only warned. */
const WARNING: Partial<PlanSpec> = {
  ...LIMITED,
  limitNotes: [
    { limit: 'kubernetes', value: '', enforcement: 'Warn', reason: 'newer versions are not certified yet' },
    { limit: 'cni.allowed', value: '', enforcement: 'Refuse', since: '2999-01-01' },
    { limit: 'allowed.features', value: '', enforcement: 'Warn', alternative: 'resize by hand' },
  ],
};

const TEMPLATE = { coe: 'kubernetes', image_id: 'default', flavor_id: 'b3-8' };

describe('limits of a plan in Magnum’s API', () => {
  let magnum: TestMagnum;
  beforeAll(async () => {
    magnum = await TestMagnum.start();
    await createPlan('magnum', LIMITED);
    await createPlan('lenient', WARNING);
    for (const [name, plan] of [
      ['own', 'magnum'],
      ['own-lenient', 'lenient'],
    ] as const) {
      for (const network_driver of ['calico', 'cilium'])
        await ownTemplate(`${name}-${network_driver}`, plan, { network_driver });
    }
    await ownTemplate('newer', 'magnum', { labels: { fairway_plan: 'magnum', kube_tag: 'v1.36' } });
  });
  afterAll(() => magnum?.close());

  async function createPlan(name: string, spec: Partial<PlanSpec>) {
    const resource = magnum.gateway.as('operator').resource(plans);
    await resource.create(aPlan(spec, { name }));
    const condition = {
      type: 'Ready',
      status: 'True',
      reason: 'AsExpected',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const value = { status: { conditions: [condition] } };
    await resource.patch(name, { type: 'merge', value }, { subresource: 'status' });
  }

  async function ownTemplate(name: string, plan: string, fields: object) {
    const body = { ...TEMPLATE, name, labels: { fairway_plan: plan, kube_tag: 'v1.35' }, ...fields };
    expect(await call('POST', '/v1/clustertemplates', body)).toMatchObject({ status: 201 });
  }

  const call = (method: string, target: string, body?: unknown) => magnum.call('alice', method, target, body);

  /** The refusal of a request as `openstack coe` prints it: the title of the error, which is also its detail. */
  async function refusal(method: string, target: string, body?: unknown) {
    const response = await call(method, target, body);
    const [{ title = '', detail = '' } = {}] = response.body?.errors ?? [];
    expect(detail).toBe(title);
    return { status: response.status, title: title as string };
  }

  const create = (name: string, fields: object) =>
    call('POST', '/v1/clusters', { name, flavor_id: 'b3-8', cluster_template_id: 'k8s-1.35-magnum', ...fields });
  const refusedCreation = (fields: object) =>
    refusal('POST', '/v1/clusters', {
      name: 'refused',
      flavor_id: 'b3-8',
      cluster_template_id: 'k8s-1.35-magnum',
      ...fields,
    });
  const statusReason = async (path: string) => (await call('GET', `/v1/clusters/${path}`)).body.status_reason as string;

  describe('container orchestration engines', () => {
    test.each(['swarm', 'swarm-mode', 'mesos'])('%s is refused', async (coe) => {
      expect(await refusal('POST', '/v1/clustertemplates', { ...TEMPLATE, name: coe, coe })).toEqual({
        status: 400,
        title: `coe: Cluster type ${coe} is not supported: it must be kubernetes`,
      });
    });
  });

  describe('Kubernetes versions', () => {
    test('templates of newer versions are hidden, and still readable', async () => {
      const { body } = await call('GET', '/v1/clustertemplates');
      const names = body.clustertemplates.map(({ name }: { name: string }) => name);

      expect(names).toContain('k8s-1.35-magnum');
      expect(names).not.toContain('k8s-1.36-magnum');
      expect(names).toContain('k8s-1.36-lenient');
      expect((await call('GET', '/v1/clustertemplates/k8s-1.36-magnum')).body).toMatchObject({ hidden: true });
    });

    test('clusters of such a template are refused, with the other templates of the plan', async () => {
      const { status, title } = await refusedCreation({ cluster_template_id: 'k8s-1.36-magnum' });

      expect(status).toBe(403);
      expect(title).toMatch(
        /^ClusterTemplate k8s-1\.36-magnum is hidden: its kube_tag v1\.36\.\d+ is newer than 1\.35, the newest version of plan "magnum"\. /,
      );
      expect(title).toContain(VERSION_NOTE);
      expect(title).toMatch(/; use ClusterTemplate k8s-.*k8s-1\.35-magnum/);
    });

    test.each([
      { reason: 'merged into those of the template', fields: { labels: { kube_tag: 'v1.36.3' }, merge_labels: true } },
      { reason: 'instead of those of the template', fields: { labels: { kube_tag: 'v1.36.3' } } },
      { reason: 'of a template', fields: { cluster_template_id: 'newer' } },
    ])('a newer kube_tag is refused: label $reason', async ({ fields }) => {
      const { status, title } = await refusedCreation(fields);

      expect(status).toBe(400);
      expect(title).toMatch(/^labels\.kube_tag: Invalid value: "1\.36/);
      expect(title).toContain(' is newer than 1.35, the newest version of plan "magnum". ');
      expect(title).toContain(VERSION_NOTE);
      expect(title).toContain('1.35 (1.35.');
    });

    test('the newest version of the plan is accepted', async () => {
      expect(await create('newest', { labels: { kube_tag: 'v1.35' } })).toMatchObject({ status: 202 });
    });

    test('upgrades to newer versions are refused', async () => {
      await running('upgraded', 'magnum', '1.35');
      const next = { cluster_template: 'k8s-1.36-magnum' };
      const { status, title } = await refusal('POST', '/v1/clusters/upgraded/actions/upgrade', next);

      expect(status).toBe(400);
      expect(title).toMatch(/^labels\.kube_tag: .* is newer than 1\.35, the newest version of plan "magnum"\. /);
      expect(title).toContain(VERSION_NOTE);
    });

    test('a cluster of another plan with a newer version cannot move to the plan', async () => {
      await running('moved', 'free', '1.36');
      const { status, title } = await refusal('POST', '/v1/clusters/moved/actions/upgrade', {
        cluster_template: 'k8s-1.36-magnum',
      });

      expect(status).toBe(400);
      expect(title).toMatch(/^cluster_template_id: .*runs 1\.36\.\d+, which is newer than 1\.35/);
      expect(title).toContain(VERSION_NOTE);
    });
  });

  describe('network drivers', () => {
    test('the operator’s templates have Magnum’s name for Canal', async () => {
      expect((await call('GET', '/v1/clustertemplates/k8s-1.35-magnum')).body.network_driver).toBe('calico');
    });

    test('calico is accepted', async () => {
      expect(await create('with-calico', { cluster_template_id: 'own-calico' })).toMatchObject({ status: 202 });
      const { spec } = await magnum.gateway.as('alice').resource(clusters).get('with-calico', { namespace: TEAM });
      expect(spec).toMatchObject({ plan: 'magnum', cni: { type: 'canal' } });
    });

    test('flannel is refused, with the drivers of the plan and its note', async () => {
      const labels = { fairway_plan: 'magnum' };
      const template = { ...TEMPLATE, name: 'flannel', network_driver: 'flannel' };

      expect(await refusal('POST', '/v1/clustertemplates', { ...template, labels })).toEqual({
        status: 400,
        title: 'network_driver flannel is not supported: use calico. Only Calico enforces our network policies',
      });
      expect((await refusal('POST', '/v1/clustertemplates', template)).title).toBe(
        'network_driver flannel is not supported: use calico, cilium or none',
      );
      const change = [{ op: 'replace', path: '/network_driver', value: 'flannel' }];
      expect((await refusal('PATCH', '/v1/clustertemplates/own-cilium', change)).title).toMatch(
        /^network_driver flannel is not supported: use calico\./,
      );
    });

    test('a template with flannel of an earlier release still creates clusters with Canal', async () => {
      const own = new OwnTemplates(magnum.gateway.gateway.client, () => 'project-team', Math.random);
      const fields = {
        ...TEMPLATE,
        name: 'old',
        network_driver: 'flannel',
        labels: { fairway_plan: 'magnum', kube_tag: 'v1.35' },
      };
      await own.create(TEAM, TemplateBody.parse(fields), 'id-of-alice');

      expect(await create('of-old', { cluster_template_id: 'old' })).toMatchObject({ status: 202 });
      const { spec } = await magnum.gateway.as('alice').resource(clusters).get('of-old', { namespace: TEAM });
      expect(spec.cni.type).toBe('canal');
      const rename = [{ op: 'replace', path: '/name', value: 'older' }];
      expect(await call('PATCH', '/v1/clustertemplates/old', rename)).toMatchObject({ status: 200 });
    });

    test('a driver that the plan excludes is refused for its clusters', async () => {
      expect(await refusedCreation({ cluster_template_id: 'own-cilium' })).toEqual({
        status: 400,
        title:
          'network_driver cilium is not supported by plan "magnum": use calico. Only Calico enforces our network policies',
      });
    });
  });

  test('features that the plan excludes are refused by their labels', async () => {
    const labels = { auto_scaling_enabled: 'true', max_node_count: '5' };
    const { status, title } = await refusedCreation({ labels, merge_labels: true });

    expect(status).toBe(400);
    expect(title).toMatch(/^labels\.auto_scaling_enabled: .*plan "magnum" does not include autoscaling of node pools/);
    expect(title).toContain('. Resize by hand');
  });

  test('limits that only warn are reported in status_reason', async () => {
    const labels = { auto_scaling_enabled: 'true', max_node_count: '5' };
    const template = { cluster_template_id: 'k8s-1.36-lenient' };
    expect(await create('warned', { ...template, labels, merge_labels: true })).toMatchObject({ status: 202 });
    const reason = await statusReason('warned');

    expect(reason).toMatch(
      /warning: labels\.kube_tag: 1\.36\.\d+ is newer than 1\.35, the newest version of plan "lenient"\. Newer/,
    );
    expect(reason).toMatch(
      /warning: labels\.auto_scaling_enabled: plan "lenient" does not include .*\. Resize by hand/,
    );
    expect(await create('announced', { cluster_template_id: 'own-lenient-cilium' })).toMatchObject({ status: 202 });
    expect(await statusReason('announced')).toMatch(/warning: network_driver: .*\. Refused from 2999-01-01 on/);
    expect(await create('unlimited', { cluster_template_id: 'own-lenient-calico' })).toMatchObject({ status: 202 });
    expect(await statusReason('unlimited')).not.toContain('warning');
  });

  test('warnings about upgrades replace those about earlier requests', async () => {
    await create('warned-later', { cluster_template_id: 'own-lenient-cilium' });
    await markRunning('warned-later', '1.35');
    const upgrade = (cluster_template: string) =>
      call('POST', '/v1/clusters/warned-later/actions/upgrade', { cluster_template });

    expect(await upgrade('k8s-1.36-lenient')).toMatchObject({ status: 202 });
    const reason = await statusReason('warned-later');
    expect(reason).toMatch(/warning: labels\.kube_tag: 1\.36\.\d+ is newer than 1\.35/);
    expect(reason).not.toContain('network_driver');
  });

  test('nodegroups report warnings about their creation', async () => {
    await create('grouped', { cluster_template_id: 'own-lenient-calico' });
    const labels = { auto_scaling_enabled: 'true' };
    const group = { name: 'big', flavor_id: 'b3-8', labels, max_node_count: 4 };
    const { status, body } = await call('POST', '/v1/clusters/grouped/nodegroups', group);

    expect({ status, body }).toMatchObject({
      status: 202,
      body: {
        status: 'CREATE_IN_PROGRESS',
        status_reason: expect.stringMatching(/warning: labels\.auto_scaling_enabled: plan "lenient" does not include/),
      },
    });
    const read = await call('GET', '/v1/clusters/grouped/nodegroups/big');
    expect(read.body.status_reason).toBe(body.status_reason);
  });

  test('clusters beyond a new limit can be resized and deleted', async () => {
    await createPlan('shrinking', {});
    await create('existing', { cluster_template_id: 'k8s-1.36-shrinking', node_count: 2 });
    const spec = { kubernetes: { newest: '1.35' }, allowed: { features: [] } };
    await magnum.gateway.as('operator').resource(plans).patch('shrinking', { type: 'merge', value: { spec } });

    expect(await call('POST', '/v1/clusters/existing/actions/resize', { node_count: 1 })).toMatchObject({
      status: 202,
    });
    const pool = await magnum.gateway.as('alice').resource(nodePools).get('existing-worker', { namespace: TEAM });
    expect(pool.spec.replicas).toBe(1);
    const { body } = await call('GET', '/v1/clusters/existing');
    expect((await call('GET', `/v1/clustertemplates/${body.cluster_template_id}`)).body).toMatchObject({
      hidden: true,
    });
    expect(await call('DELETE', '/v1/clusters/existing')).toMatchObject({ status: 204 });
  });

  /** Creates a cluster that runs the newest patch of a minor version. */
  async function running(name: string, plan: string, minor: string) {
    expect(await create(name, { cluster_template_id: `k8s-${minor}-${plan}` })).toMatchObject({ status: 202 });
    await markRunning(name, minor);
  }

  async function markRunning(name: string, minor: string) {
    const { body } = await call('GET', `/v1/clustertemplates/k8s-${minor}-free`);
    const version = body.labels.kube_tag.slice(1);
    await magnum.gateway.gateway.client
      .resource(clusters)
      .patch(name, { type: 'merge', value: { status: { version } } }, { namespace: TEAM, subresource: 'status' });
  }
});
