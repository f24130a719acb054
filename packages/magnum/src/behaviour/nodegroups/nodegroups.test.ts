import { nodePools } from '@fairway/api/kinds/node-pool';
import { TEAM } from '@fairway/gateway/testing/test-gateway';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestMagnum } from '../../testing/test-magnum.ts';

describe('nodegroups', () => {
  let magnum: TestMagnum;
  let cluster: string;
  beforeAll(async () => {
    magnum = await TestMagnum.start();
    const body = { name: 'demo', cluster_template_id: 'k8s-1.34-free', flavor_id: 'b3-8', labels: { zone: 'a' } };
    cluster = (await magnum.call('alice', 'POST', '/v1/clusters', body)).body.uuid;
  });
  afterAll(() => magnum?.close());

  const call = (method: string, path = '', body?: unknown, version?: string) =>
    magnum.call('alice', method, `/v1/clusters/demo/nodegroups${path}`, body, version);
  const pool = (name: string) => magnum.gateway.as('operator').resource(nodePools).get(name, { namespace: TEAM });

  test('include the control plane and the first workers of a new cluster', async () => {
    const { body } = await call('GET');
    const [master, worker] = body.nodegroups;

    expect(master).toMatchObject({ name: 'default-master', role: 'master', is_default: true, node_count: 1 });
    expect(worker).toMatchObject({
      name: 'default-worker',
      role: 'worker',
      is_default: true,
      status: 'CREATE_IN_PROGRESS',
    });
    expect(Object.keys(worker)).not.toContain('max_node_count');
    expect((await call('GET', '?role=master')).body.nodegroups).toEqual([master]);
    expect((await call('GET', `/${master.uuid}`)).body).toMatchObject({ uuid: master.uuid, cluster_id: cluster });
    expect((await call('GET', '/default-worker')).body).toMatchObject({
      uuid: worker.uuid,
      max_node_count: null,
      labels: { zone: 'a' },
    });
  });

  test('are created as NodePools, with labels, taints and bounds', async () => {
    const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' };
    const requestBody = {
      name: 'Big_One',
      node_count: 2,
      min_node_count: 1,
      max_node_count: 5,
      flavor_id: 'b3-16',
      labels: { auto_scaling_enabled: 'true', max_node_count: '5' },
      merge_labels: true,
      node_labels: { team: 'a' },
      node_taints: [taint],
    };
    const { status, body } = await call('POST', '', requestBody);

    expect(status).toBe(202);
    expect(body).toMatchObject({
      name: 'Big_One',
      status: 'CREATE_IN_PROGRESS',
      node_count: 2,
      min_node_count: 1,
      max_node_count: 5,
      is_default: false,
      role: 'worker',
      node_labels: { team: 'a' },
      node_taints: [taint],
      labels_added: { auto_scaling_enabled: 'true', max_node_count: '5' },
    });
    const stored = (await magnum.gateway.as('alice').resource(nodePools).list({ namespace: TEAM })).items.find(
      ({ metadata }) => metadata.uid === body.uuid,
    );
    expect(stored?.spec).toMatchObject({
      flavor: 'b3-16',
      replicas: 2,
      minReplicas: 1,
      maxReplicas: 5,
      autoscaling: { enabled: true },
      template: { metadata: { labels: { team: 'a' } }, spec: { taints: [taint] } },
    });
    expect((await call('POST', '', requestBody)).body.errors[0].detail).toBe(
      'A node group with name Big_One already exists in the cluster.',
    );
  });

  test('take bounds from labels, and report labels that have no effect on nodes', async () => {
    const labels = { min_node_count: '2', kube_tag: 'v1.30', fancy: 'yes' };
    const { status, body } = await call('POST', '', { name: 'labelled', node_count: 3, labels, merge_labels: true });

    expect({ status, body }).toMatchObject({ status: 202, body: { min_node_count: 2 } });
    expect(body.status_reason).toMatch(/ \(labels without effect: fancy, kube_tag\)$/);
  });

  test('can be changed within Magnum’s limits, and are returned in full', async () => {
    await call('POST', '', { name: 'plain', node_count: 2, node_labels: { a: '1', b: '2' } });
    const { status, body } = await call('PATCH', '/plain', [
      { op: 'replace', path: '/min_node_count', value: 1 },
      { op: 'replace', path: '/max_node_count', value: '4' },
      { op: 'replace', path: '/node_labels', value: "{'a': '3'}" },
    ]);

    expect(status).toBe(202);
    expect(body).toMatchObject({ name: 'plain', min_node_count: 1, max_node_count: 4, node_labels: { a: '3' } });
    expect(body.node_labels).not.toHaveProperty('b');
    const unbounded = await call('PATCH', '/plain', [{ op: 'remove', path: '/max_node_count' }]);
    expect(unbounded.body.max_node_count).toBeNull();
    expect((await pool('demo-plain')).spec.minReplicas).toBe(1);
  });

  test.each<{
    reason: string;
    method: string;
    path: string;
    body: unknown;
    status: number;
    detail: RegExp;
    version?: string;
  }>([
    {
      reason: 'masters',
      method: 'POST',
      path: '',
      body: { name: 'm', role: 'master' },
      status: 400,
      detail: /^Creating master/,
    },
    {
      reason: 'the name of the master nodegroup',
      method: 'POST',
      path: '',
      body: { name: 'default-master' },
      status: 409,
      detail: /default-master already exists/,
    },
    { reason: 'a missing name', method: 'POST', path: '', body: {}, status: 400, detail: /attribute name/ },
    {
      reason: 'a minimum above the maximum',
      method: 'POST',
      path: '',
      body: { name: 'x', min_node_count: 3, max_node_count: 2 },
      status: 409,
      detail: /^max_node_count for x is invalid/,
    },
    {
      reason: 'more nodes than the maximum',
      method: 'POST',
      path: '',
      body: { name: 'x', node_count: 3, max_node_count: 2 },
      status: 409,
      detail: /^node_count for x/,
    },
    {
      reason: 'a change of the flavor',
      method: 'PATCH',
      path: '/default-worker',
      body: [{ op: 'replace', path: '/flavor_id', value: 'b3-16' }],
      status: 400,
      detail: /^cannot change nodegroup/,
    },
    {
      reason: 'a minimum above the node count',
      method: 'PATCH',
      path: '/default-worker',
      body: [{ op: 'replace', path: '/min_node_count', value: 7 }],
      status: 409,
      detail: /^min_node_count for default-worker/,
    },
    {
      reason: 'a change of the control plane',
      method: 'PATCH',
      path: '/default-master',
      body: [{ op: 'replace', path: '/min_node_count', value: 3 }],
      status: 400,
      detail: /^Updating the master/,
    },
    {
      reason: 'deletion of the default nodegroup',
      method: 'DELETE',
      path: '/default-worker',
      body: undefined,
      status: 400,
      detail: /^Deleting a default/,
    },
    {
      reason: 'deletion of the control plane',
      method: 'DELETE',
      path: '/default-master',
      body: undefined,
      status: 400,
      detail: /^Deleting a default/,
    },
    {
      reason: 'a nodegroup that does not exist',
      method: 'GET',
      path: '/none',
      body: undefined,
      status: 404,
      detail: /^Nodegroup none could not be found/,
    },
    {
      reason: 'old versions of the API',
      method: 'GET',
      path: '',
      body: undefined,
      status: 406,
      detail: /needs 1.9/,
      version: '1.8',
    },
  ])('refuse $reason', async ({ method, path, body, status, detail, version }) => {
    const response = await call(method, path, body, version);
    expect(response.status).toBe(status);
    expect(response.body.errors[0].detail).toMatch(detail);
  });

  test('can be deleted', async () => {
    const { body } = await call('POST', '', { name: 'leaving' });
    expect((await call('DELETE', `/${body.uuid}`)).status).toBe(204);
    expect((await call('GET', '/leaving')).status).toBe(404);
  });
});
