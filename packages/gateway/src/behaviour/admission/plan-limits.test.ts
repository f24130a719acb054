import { API_VERSION } from '@fairway/api/group';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { type PlanSpec, plans } from '@fairway/api/kinds/plan';
import { aPlan } from '@fairway/api/testing/objects';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const CLUSTERS = `/apis/${API_VERSION}/namespaces/${TEAM}/clusters`;
const POOLS = `/apis/${API_VERSION}/namespaces/${TEAM}/nodepools`;
const LINK = 'https://example.org/limits';

const REFUSING: Partial<PlanSpec> = {
  kubernetes: { oldest: '1.35', newest: '1.35' },
  cni: { default: 'canal', allowed: ['canal'] },
  allowed: { features: ['OIDC'] },
  limitNotes: [
    {
      limit: 'kubernetes',
      value: '1.36',
      enforcement: 'Refuse',
      reason: 'not certified yet',
      alternative: 'use 1.35',
      link: LINK,
    },
    { limit: 'kubernetes', value: '', enforcement: 'Refuse', reason: 'no longer certified' },
    { limit: 'cni.allowed', value: '', enforcement: 'Refuse', reason: 'only Canal is supported' },
    { limit: 'allowed.features', value: 'Hibernation', enforcement: 'Refuse', alternative: 'delete idle clusters' },
  ],
};

const WARNING: Partial<PlanSpec> = {
  ...REFUSING,
  limitNotes: [
    { limit: 'kubernetes', value: '', enforcement: 'Warn', reason: 'not certified yet' },
    { limit: 'cni.allowed', value: '', enforcement: 'Refuse', since: '2999-01-01', link: LINK },
    { limit: 'allowed.features', value: 'Hibernation', enforcement: 'Refuse', until: '2020-01-01' },
    { limit: 'allowed.features', value: '', enforcement: 'Warn', alternative: 'resize by hand' },
  ],
};

describe.each(FORMS)('limits of plans at the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    const operator = gateway.as('operator');
    for (const { metadata } of (await operator.resource(kubernetesReleases).list()).items) {
      const value = { spec: { phaseOverride: 'Supported' } };
      await operator.resource(kubernetesReleases).patch(metadata.name ?? '', { type: 'merge', value });
    }
    await operator.resource(plans).create(aPlan(REFUSING, { name: 'refusing' }));
    await operator.resource(plans).create(aPlan(WARNING, { name: 'warning' }));
  });
  afterAll(() => gateway.close());

  const cluster = (name: string, spec: NewCluster['spec']) => ({
    apiVersion: API_VERSION,
    kind: clusters.kind,
    metadata: { name },
    spec,
  });

  /** The warnings about a new cluster; fails if it is refused. */
  async function warningsAbout(name: string, spec: NewCluster['spec']) {
    const { status, warnings } = await gateway.call('alice', 'POST', CLUSTERS, cluster(name, spec));
    expect({ status, warnings }).toMatchObject({ status: 201 });
    return warnings;
  }

  const change = (name: string, spec: object): Promise<Cluster> =>
    gateway.as('alice').resource(clusters).patch(name, { type: 'merge', value: { spec } }, { namespace: TEAM });

  test.each<{ what: string; spec: NewCluster['spec']; field: string; problem: RegExp; note: string }>([
    {
      what: 'a version above the newest',
      spec: { version: '1.36' },
      field: 'spec.version',
      problem: /^Invalid value: "1\.36": .* is newer than 1\.35, the newest version of plan "refusing"\. /,
      note: `Not certified yet. Use 1.35. See ${LINK}`,
    },
    {
      what: 'a version below the oldest',
      spec: { version: '1.34' },
      field: 'spec.version',
      problem: /is older than 1\.35, the oldest version of plan "refusing"\. /,
      note: 'No longer certified; choose one of 1.35 (1.35.',
    },
    {
      what: 'a pod network',
      spec: { cni: { type: 'cilium' } },
      field: 'spec.cni.type',
      problem: /^Unsupported value: "cilium"/,
      note: '. Only Canal is supported',
    },
    {
      what: 'a feature',
      spec: { hibernation: { enabled: true } },
      field: 'spec.hibernation',
      problem: /plan "refusing" does not include hibernation of clusters/,
      note: '. Delete idle clusters',
    },
  ])('$what is refused at $field, with its note', async ({ spec, field, problem, note }) => {
    const refused = await refusal(gateway.createCluster('refused', { plan: 'refusing', ...spec }));

    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(refused.causes.map(({ field: each }) => each)).toEqual([field]);
    expect(refused.causes[0]?.message).toMatch(problem);
    expect(refused.causes[0]?.message).toContain(note);
  });

  test('without a version, a cluster gets one that the plan allows', async () => {
    expect(await warningsAbout('default-version', { plan: 'refusing' })).toBe('');
  });

  test('limits that only warn give a Warning header', async () => {
    const warnings = await warningsAbout('newer', { plan: 'warning', version: '1.36' });

    expect(warnings).toMatch(/299 - "spec\.version: 1\.36\.\d+ is newer than 1\.35, .*\. Not certified yet"/);
  });

  test('announced limits warn of the day on which they take effect', async () => {
    const warnings = await warningsAbout('early', { plan: 'warning', version: '1.35', cni: { type: 'cilium' } });

    expect(warnings).toContain(`299 - "spec.cni.type: `);
    expect(warnings).toContain(`. Refused from 2999-01-01 on. See ${LINK}"`);
  });

  test('limits whose last day has passed have no effect', async () => {
    const spec = { plan: 'warning', version: '1.35', hibernation: { enabled: true } };

    expect(await warningsAbout('late', spec)).not.toContain('spec.hibernation');
  });

  test('features of pools warn or are refused by the plan of their cluster', async () => {
    const pool = (clusterName: string) => ({
      apiVersion: API_VERSION,
      kind: nodePools.kind,
      metadata: { name: `${clusterName}-general` },
      spec: { clusterName, flavor: 'b3-8', replicas: 1, maxReplicas: 3, autoscaling: { enabled: true } },
    });
    await gateway.createCluster('of-refusing', { plan: 'refusing' });
    await gateway.createCluster('of-warning', { plan: 'warning' });
    const [refused, warned] = [
      await gateway.call('alice', 'POST', POOLS, pool('of-refusing')),
      await gateway.call('alice', 'POST', POOLS, pool('of-warning')),
    ];

    expect(refused).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'spec.autoscaling.enabled' }] } },
    });
    expect(warned.status).toBe(201);
    expect(warned.warnings).toMatch(
      /spec\.autoscaling\.enabled: plan \\"warning\\" does not include .*\. Resize by hand"/,
    );
  });

  describe('clusters that exist before a limit', () => {
    beforeAll(async () => {
      await gateway
        .as('operator')
        .resource(plans)
        .create(aPlan({}, { name: 'growing' }));
      await gateway.createCluster('existing', { plan: 'growing', version: '1.36', hibernation: { enabled: true } });
      const autoscaling = { enabled: true };
      await gateway.createPool('existing-general', {
        clusterName: 'existing',
        replicas: 3,
        maxReplicas: 4,
        autoscaling,
      });
      const value = { spec: { kubernetes: { newest: '1.35' }, allowed: { features: [] } } };
      await gateway.as('operator').resource(plans).patch('growing', { type: 'merge', value });
    });

    test('can be edited', async () => {
      await expect(change('existing', { updatePolicy: 'NeverUpdate' })).resolves.toMatchObject({
        spec: { version: '1.36', hibernation: { enabled: true }, updatePolicy: 'NeverUpdate' },
      });
    });

    test('can stop using a feature, but not use it again', async () => {
      await expect(change('existing', { hibernation: null })).resolves.toBeDefined();
      const refused = await refusal(change('existing', { hibernation: { enabled: true } }));

      expect(refused.causes).toMatchObject([{ field: 'spec.hibernation' }]);
    });

    test('can be shrunk and deleted', async () => {
      const pools = gateway.as('alice').resource(nodePools);
      const value = { spec: { maxReplicas: 2, replicas: 1 } };

      await expect(
        pools.patch('existing-general', { type: 'merge', value }, { namespace: TEAM }),
      ).resolves.toMatchObject({ spec: value.spec });
      await pools.delete('existing-general', { namespace: TEAM });
      await gateway.as('alice').resource(clusters).delete('existing', { namespace: TEAM });
    });
  });
});
