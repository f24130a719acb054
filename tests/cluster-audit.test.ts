import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf } from './session/client-of.ts';
import { type CommandResult, RunningFairway, run } from './session/running-fairway.ts';

/** A tenant manages and reads the audit events of a cluster, using only `fairway`. */
describe('fairway cluster audit, on a simulated control plane', () => {
  let folder: string;
  let fairway: RunningFairway;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairway-cluster-audit-'));
    fairway = await RunningFairway.start(join(folder, 'home'), '--listen', '127.0.0.1:0');
    await queryAudit('cluster', 'create', 'demo', '--no-wait');
  });
  afterAll(async () => {
    await fairway?.stop();
    await rm(folder, { recursive: true });
  });

  function queryAudit(...args: readonly string[]): Promise<CommandResult> {
    return run('npx', ['fairway', '--kubeconfig', fairway.kubeconfig, ...args]);
  }

  test('prints how to enable audit for a cluster without it', async () => {
    const { code, stderr } = await queryAudit('cluster', 'audit', 'demo');

    expect(code).not.toBe(0);
    expect(stderr).toMatch(/set spec\.apiServer\.audit/);
  });

  test('shows who did what in a cluster with audit, live', async () => {
    const client = await clientOf(fairway.kubeconfig);
    const value = { spec: { apiServer: { audit: {} } } };
    const { metadata } = await client
      .resource(clusters)
      .patch('demo', { type: 'merge', value }, { namespace: fairway.namespace });
    const isApplied = ({ status }: Cluster) =>
      status?.observedGeneration === metadata.generation && isConditionTrue(status?.conditions, 'ControlPlaneReady');
    await eventuallyObject(client.resource(clusters), { namespace: fairway.namespace, name: 'demo' }, isApplied);
    client.close();
    const { stdout: kubeconfig } = await queryAudit('kubeconfig', 'demo');
    await writeFile(join(folder, 'demo.kubeconfig'), kubeconfig);
    const own = await clientOf(join(folder, 'demo.kubeconfig'));
    const at = { namespace: 'default' };
    await own.resource(ConfigMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', ...at } });
    await own.resource(ConfigMaps).delete('mine', at);
    own.close();
    const auditCommand = ['cluster', 'audit', 'demo', '--user', 'fairway-admin'];

    await expect
      .poll(async () => (await queryAudit(...auditCommand)).stdout, { timeout: 20_000, interval: 500 })
      .toMatch(
        /^AGE +USER +VERB +OBJECT +CODE\n\S+ +fairway-admin +delete +configmaps mine +200\n\S+ +fairway-admin +create +configmaps mine +201\n$/,
      );
    expect(JSON.parse((await queryAudit(...auditCommand, '-o', 'json')).stdout)).toMatchObject({
      kind: 'EventList',
      apiVersion: 'audit.k8s.io/v1',
      items: [{ verb: 'delete', sourceIPs: ['127.0.0.1'] }, { verb: 'create' }],
    });
    expect((await queryAudit('cluster', 'audit', 'demo', '--user', 'nobody')).stderr).toMatch(
      /No audit events found of cluster demo/,
    );
  });
});
