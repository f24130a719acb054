import { projectQuotas } from '@fairway/api/kinds/project-quota';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import type { KubeObject } from '@fairway/kube/object/meta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMS, refusal, TEAM, TestGateway } from '../../testing/test-gateway.ts';

const QUOTA_MESSAGE = 'ProjectQuota "project"';

describe.each(FORMS)('the quota of a project at the %s gateway', (form) => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await TestGateway.start(form);
    await gateway.populate();
    await gateway.createCluster('first');
    await gateway.createCluster('second');
    await gateway.createPool('taken', { clusterName: 'second', replicas: 2 });
    const metadata = { name: 'project', namespace: TEAM };
    const spec = { clusters: 2, nodes: 5, cores: 8 };
    await gateway.as('operator').resource(projectQuotas).create({ metadata, spec });
  });
  afterAll(() => gateway.close());

  const refusalMessage = async (work: Promise<unknown>) =>
    (await refusal(work)).causes.map(({ field, message }) => `${field}: ${message}`);

  test('refuses a cluster beyond the quota, with the current number and advice', async () => {
    expect(await refusalMessage(gateway.createCluster('third'))).toEqual([
      `metadata.namespace: Forbidden: the project's quota is 2 clusters (${QUOTA_MESSAGE}), and the namespace has 2: delete one, or ask the operator for a larger quota`,
    ]);
  });

  test('refuses nodes beyond the quota across all clusters, and accepts others', async () => {
    expect(await refusalMessage(gateway.createPool('wide', { clusterName: 'first', replicas: 4 }))).toEqual([
      `spec.replicas: Invalid value: 4: the project's quota is 5 nodes (${QUOTA_MESSAGE}), and other pools have 2: must be at most 3; scale other pools down, or ask the operator for a larger quota`,
    ]);
    await expect(gateway.createPool('fits', { clusterName: 'first', replicas: 1 })).resolves.toBeDefined();
  });

  test('refuses cores beyond the quota, based on the cloud’s flavors', async () => {
    expect(
      await refusalMessage(gateway.createPool('heavy', { clusterName: 'first', replicas: 1, flavor: 'b3-16' })),
    ).toEqual([
      `spec.replicas: Invalid value: 1: the project's quota is 8 cores (${QUOTA_MESSAGE}), other pools have 6, and 1 nodes of flavor "b3-16" need 4, but 2 are left: request fewer or smaller nodes, scale other pools down, or ask the operator for a larger quota`,
    ]);
  });

  test('lets pools shrink and change while the quota is exceeded', async () => {
    await gateway
      .as('operator')
      .resource(projectQuotas)
      .patch('project', { type: 'merge', value: { spec: { nodes: 1, cores: 1 } } }, { namespace: TEAM });
    const scale = { spec: { replicas: 1 } };
    const reply = await gateway.call(
      'alice',
      'PATCH',
      `/apis/fairway.dev/v1alpha1/namespaces/${TEAM}/nodepools/taken/scale`,
      scale,
    );

    expect(reply.status).toBe(200);
  });

  test.each([projectQuotas, usageRecords] as const)(
    'is readable by tenants, as $plural are, but not writable',
    async (kind) => {
      const resource = gateway.as('alice').resource<KubeObject>(kind);
      await expect(resource.list({ namespace: TEAM })).resolves.toBeDefined();
      const createMessage = await refusal(resource.create({ metadata: { name: 'mine', namespace: TEAM } }));
      expect(createMessage).toMatchObject({ code: 403 });
      expect(await refusal(resource.delete('project', { namespace: TEAM }))).toMatchObject({ code: 403 });
    },
  );
});

test.each(FORMS)('the operator can limit all projects without a ProjectQuota, at the %s gateway', async (form) => {
  const gateway = await TestGateway.start(form, undefined, undefined, { quotaDefaults: { clusters: 1 } });
  await gateway.populate();
  await gateway.createCluster('first');
  const refused = await refusal(gateway.createCluster('second'));
  await gateway.close();

  expect(refused.causes[0]?.message).toContain("the project's quota is 1 cluster (the operator's default)");
});
