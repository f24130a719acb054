import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFINITION_NAME, DEFINITIONS } from '@fairway/addons/node-pools/definition';
import { type InClusterNodePool, inClusterNodePools } from '@fairway/api/kinds/in-cluster-node-pool';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { findCondition } from '@fairway/kube/controller/conditions';
import { eventually } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CONTROL_PLANES } from './clients/control-planes.ts';
import { ProvisionedCluster } from './session/provisioned-cluster.ts';
import { type CommandResult, run } from './session/running-fairway.ts';
import { findKubectls } from './session/tools.ts';

const [kubectl] = findKubectls();
const deadlineMs = 300_000;

const MANIFEST = `
apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: { name: demo }
spec: { plan: free }
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: general }
spec: { clusterName: demo, flavor: b3-8, replicas: 1, maxReplicas: 5 }
`;

describe.skipIf(kubectl === undefined).each(CONTROL_PLANES)(
  `the tenant's own kubectl ${kubectl?.version ?? '(skipped: there is none on PATH)'} on $plane`,
  ({ controlPlane, isMissing }) => {
    describe.skipIf(isMissing)('using a cluster’s pools', () => {
      poolCases(controlPlane);
    });
  },
);

/** Defines the test cases; each case continues from the previous one. */
function poolCases(controlPlane: 'simulated' | 'process'): void {
  let cluster: ProvisionedCluster;

  const tenant = (...args: readonly string[]): Promise<CommandResult> =>
    run(kubectl?.path ?? '', ['--kubeconfig', cluster.kubeconfig, ...args]);
  const waitForInnerPool = async (name: string, check: (pool: InClusterNodePool | undefined) => boolean) => {
    const selection = { fieldSelector: `metadata.name=${name}` };
    const pools = cluster.tenant.resource(inClusterNodePools);
    const [found] = await eventually(pools, selection, ([pool]) => check(pool), { deadlineMs });
    return found;
  };
  const accepted = (pool: InClusterNodePool | undefined) => findCondition(pool?.status?.conditions, 'Accepted');

  beforeAll(async () => {
    cluster = await ProvisionedCluster.create({ manifest: MANIFEST, controlPlane, deadlineMs });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  test('lists the pools of the cluster', async () => {
    await expect.poll(async () => (await tenant('get', 'nodepools')).stdout).toMatch(/^general /m);
    await waitForInnerPool('general', (pool) => pool?.status?.readyReplicas === 1);

    const { stdout } = await tenant('get', 'nodepools');
    const explanation = await tenant('explain', 'nodepool.spec.replicas');

    expect(stdout).toMatch(
      /^NAME +FLAVOR +AUTOSCALED +DESIRED +CURRENT +UP-TO-DATE +AVAILABLE +MIN +MAX +ACCEPTED +PHASE +AGE$/m,
    );
    expect(stdout).toMatch(/^general +b3-8 +false +1 +1 +1 +1 +0 +5 +True +Ready +/m);
    expect(explanation.stdout).toMatch(/Number of nodes/);
  });

  test('scales a pool', async () => {
    const scaled = await tenant('scale', 'nodepool/general', '--replicas=2');
    const waited = await tenant('wait', 'nodepool/general', '--for=jsonpath={.status.readyReplicas}=2', '--timeout=2m');

    expect(scaled).toMatchObject({ code: 0, stdout: 'nodepool.fairway.dev/general scaled\n' });
    expect(waited.code).toBe(0);
    expect((await cluster.waitForPool('general', ({ status }) => status?.readyReplicas === 2)).spec.replicas).toBe(2);
    expect((await tenant('get', 'events')).stdout).toContain(
      'updated from the NodePool in the cluster: replicas 1 → 2',
    );
  });

  test('is refused immediately for invalid pools, and a moment later for pools that admission refuses', async () => {
    const scaleResult = await tenant('scale', 'nodepool/general', '--replicas=6');
    const delayedPatch = await tenant(
      'patch',
      'nodepool',
      'general',
      '--type=merge',
      '-p',
      '{"spec":{"flavor":"b3-9"}}',
    );

    expect(scaleResult).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('must not be more than maxReplicas'),
    });
    expect(delayedPatch.code).toBe(0);
    const pool = await waitForInnerPool('general', (each) => accepted(each)?.status === 'False');
    await waitForInnerPool('general', (each) => each?.spec.flavor === 'b3-8');
    expect(accepted(pool)?.message).toMatch(
      /spec.flavor: Not found: "b3-9": the cloud offers this project no such flavor/,
    );
    const described = await tenant('describe', 'nodepool', 'general');
    expect(described.stdout).toMatch(
      /Warning +Invalid .*fairway +NodePool.fairway.dev "general" is invalid: spec.flavor/,
    );
  });

  test('creates a pool from a file, and deletes it', async () => {
    const file = join(cluster.home, 'pool.yaml');
    await writeFile(
      file,
      'apiVersion: fairway.dev/v1alpha1\nkind: NodePool\nmetadata: { name: extra }\nspec: { flavor: b3-8, replicas: 1 }\n',
    );

    const applied = await tenant('apply', '-f', file);
    const outer = await cluster.waitForPool('extra', ({ status }) => status?.readyReplicas === 1);
    const reapplied = await tenant('apply', '--server-side', '--force-conflicts', '-f', file);
    const deleted = await tenant('delete', 'nodepool', 'extra', '--timeout=2m');

    expect(applied.stdout).toBe('nodepool.fairway.dev/extra created\n');
    expect(outer.spec.clusterName).toBe('demo');
    expect(reapplied.code).toBe(0);
    expect(deleted.code).toBe(0);
    const remaining = await cluster.own.resource(nodePools).list(cluster.where);
    expect(remaining.items.map(({ metadata }) => metadata.name)).toEqual(['general']);
  });

  test('shows changes made elsewhere, and does not overwrite them', async () => {
    const staleManifest = await tenant('get', 'nodepool', 'general', '-o', 'json');
    await cluster.patchPool('general', { replicas: 3 });
    await waitForInnerPool('general', (pool) => pool?.spec.replicas === 3);

    const file = join(cluster.home, 'stale.json');
    await writeFile(file, staleManifest.stdout.replace('"maxReplicas": 5', '"maxReplicas": 4'));
    const replaced = await tenant('replace', '-f', file);

    // The cluster itself refuses an object that has changed since it was read.
    expect(replaced).toMatchObject({ code: 1, stderr: expect.stringContaining('the object has been modified') });
    expect((await cluster.waitForPool('general', () => true)).spec).toMatchObject({ replicas: 3, maxReplicas: 5 });
  });

  test('changes a pool while Fairway is killed, or before Fairway reads the pool again, and the next Fairway process applies the change', async () => {
    await cluster.fairway.kill();
    // A simulated control plane stops with Fairway; other control planes keep responding.
    if (controlPlane === 'process') await tenant('scale', 'nodepool/general', '--replicas=2');
    await cluster.up();
    await writeFile(cluster.kubeconfig, (await cluster.cli('kubeconfig', 'demo')).stdout);

    await expect.poll(async () => (await tenant('scale', 'nodepool/general', '--replicas=2')).code).toBe(0);

    await cluster.waitForPool('general', ({ spec }) => spec.replicas === 2);
  });

  test('deletes the definition without losing the pools, which are shown again', async () => {
    const before = await cluster.waitForPool('general', () => true);

    const definition = async () =>
      (await tenant('get', 'crd', DEFINITION_NAME, '-o', 'jsonpath={.metadata.uid}')).stdout;
    const previousDefinition = await definition();

    // kubectl's own wait mistakes the definition that Fairway recreates immediately for the deleted one.
    const deleted = await tenant('delete', 'crd', DEFINITION_NAME, '--wait=false');

    expect(deleted).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(definition).not.toMatch(new RegExp(`^(${previousDefinition})?$`));
    await expect.poll(async () => (await tenant('get', 'nodepools')).stdout).toMatch(/^general /m);
    const after = await cluster.waitForPool('general', () => true);
    expect(after.metadata).toMatchObject({ uid: before.metadata.uid, generation: before.metadata.generation });
    expect(after.metadata.deletionTimestamp).toBeUndefined();
  });

  test('creates two hundred pools together, while Fairway stays within its rate limit and keeps working', async () => {
    const file = join(cluster.home, 'flood.yaml');
    const one = (index: number) =>
      `apiVersion: fairway.dev/v1alpha1\nkind: NodePool\nmetadata: { name: z${index} }\nspec: { flavor: none, replicas: 0 }\n---\n`;
    await writeFile(file, Array.from({ length: 200 }, (_, index) => one(index)).join(''));

    await tenant('create', '-f', file);
    await tenant('patch', 'nodepool', 'general', '--type=merge', '-p', '{"spec":{"maxReplicas":6}}');

    await cluster.waitForPool('general', ({ spec }) => spec.maxReplicas === 6);
    const { items } = await cluster.own.resource(nodePools).list(cluster.where);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['general']);
    await tenant('delete', '-f', file, '--wait=false');
  });

  test('no longer sees pools if the plan allows none', async () => {
    const value = { spec: { nodePools: { allowInCluster: false } } };
    await cluster.own.resource(plans).patch('free', { type: 'merge', value });

    await eventually(
      cluster.tenant.resource(DEFINITIONS),
      {},
      (all) => all.every(({ metadata }) => metadata.name !== DEFINITION_NAME),
      {
        deadlineMs,
      },
    );
    expect(await tenant('get', 'nodepools')).toMatchObject({ code: 1, stdout: '' });
    expect((await cluster.waitForPool('general', () => true)).metadata.deletionTimestamp).toBeUndefined();
  });
}
