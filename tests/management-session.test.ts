import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { CustomResourceDefinition } from '@fairway/apiserver/crd/types';
import { freePorts } from '@fairway/base/testing/free-ports';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { MIN_CEL_MINOR } from '@fairway/service/install/definitions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type ManagementCluster, startManagementCluster } from './management/management-cluster.ts';
import { RunningReplica } from './management-gateway/running-replica.ts';
import { cloudContent } from './session/cloud-content.ts';
import { run } from './session/running-fairway.ts';
import { findKubectls } from './session/tools.ts';

const kubectlPath = findKubectls().at(-1)?.path;
const releases = kubectlPath === undefined ? [] : findBinaries();
const NONE = { version: '(skipped: there is no kubectl, or no kube-apiserver at hand)' };

describe.skipIf(releases.length === 0).each(releases.length > 0 ? releases : [NONE as (typeof releases)[number]])(
  'a session on a management cluster of kube-apiserver $version',
  (binaries) => {
    let cluster: ManagementCluster;
    let replica: RunningReplica;
    /** Stays the same, so that the API server finds the gateway again. */
    let port: number;
    let emptyCloud: Awaited<ReturnType<typeof cloudContent>>;

    const kubectl = (...args: readonly string[]) =>
      run(kubectlPath ?? '', ['--kubeconfig', cluster.kubeconfigs.admin, ...args]);
    const fairway = (...args: readonly string[]) =>
      run('npx', ['fairway', '--kubeconfig', cluster.kubeconfigs.admin, ...args]);
    const install = (...args: readonly string[]) => fairway('install', ...args);
    const acceptsRules = binaries.minor >= MIN_CEL_MINOR;
    const since = acceptsRules ? '' : ` (skipped: 1.${MIN_CEL_MINOR} is the first whose CEL has what the rules use)`;
    const manifest = async (name: string, object: object) => {
      const path = join(cluster.folder, `${name}.json`);
      await writeFile(path, JSON.stringify(object));
      return path;
    };
    const cloudsYaml = () => join(replica.home, 'clouds.yaml');
    const serve = () =>
      RunningReplica.start(
        cluster.kubeconfigs.controllers,
        join(cluster.folder, 'home'),
        '--listen',
        `127.0.0.1:${port}`,
      );

    const generalIsReady = async (summary: string) => {
      const client = cluster.adminClient();
      const general = { namespace: 'default', name: 'demo-general' };
      const isReady = ({ status }: NodePool) => status?.readySummary === summary;
      try {
        await eventuallyObject(client.resource(nodePools), general, isReady, { deadlineMs: 400_000 });
      } finally {
        client.close();
      }
    };

    beforeAll(async () => {
      cluster = await startManagementCluster(binaries, { isInstalled: false });
      [port = 0] = await freePorts(1);
    });
    afterAll(async () => {
      await replica?.[Symbol.asyncDispose]();
      await cluster?.[Symbol.asyncDispose]();
    });

    test('fairway serve reports what a bare cluster is missing', async () => {
      const home = join(cluster.folder, 'home');

      const refused = await fairway('serve', '--home', home, '--control-plane', 'simulated');

      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/does not serve clusters,.*fairway install/s),
      });
    });

    test.skipIf(acceptsRules)(
      'fairway install refuses an API server that cannot enforce the kinds’ rules (before 1.31)',
      async () => {
        const refused = await install();
        await cluster.install();

        expect(refused).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/at least 1\.31 is needed.*upgrade it/s),
        });
      },
    );

    test.skipIf(!acceptsRules)(
      `fairway install checks everything, creates it, and has nothing to do the next time${since}`,
      async () => {
        const checkResult = await install('--dry-run');
        const before = await kubectl('get', 'crd', '-o', 'name');
        const first = await install();
        const second = await install();

        expect(checkResult).toMatchObject({
          code: 0,
          stdout: expect.stringContaining('plan.fairway.dev/free created (server dry run)'),
        });
        expect(before.stdout).toBe('');
        expect(first).toMatchObject({
          code: 0,
          stdout: expect.stringContaining(
            'customresourcedefinition.apiextensions.k8s.io/clusters.fairway.dev created\n',
          ),
        });
        expect(second.code).toBe(0);
        expect(second.stdout).not.toMatch(/ (created|configured)$/m);
      },
    );

    test.skipIf(!acceptsRules)(`fairway install applies exactly its manifests${since}`, async () => {
      const printed = await install('-o', 'yaml');
      const file = join(cluster.folder, 'manifests.yaml');
      await writeFile(file, printed.stdout);

      const applied = await kubectl('apply', '--server-side', '--dry-run=server', '-f', file);

      expect(applied).toMatchObject({ code: 0, stderr: '' });
      expect(applied.stdout).toContain(
        'customresourcedefinition.apiextensions.k8s.io/machines.fairway.dev serverside-applied',
      );
    });

    test.skipIf(!acceptsRules)(
      `fairway install keeps objects that an older release stored in its own version readable${since}`,
      async () => {
        const { items } = JSON.parse((await install('-o', 'json')).stdout) as { items: CustomResourceDefinition[] };
        const ownDefinition = items.find(({ metadata }) => metadata.name === 'plans.fairway.dev');
        const [version] = ownDefinition?.spec.versions ?? [];
        const versions = [
          { ...version, name: 'v1alpha0', storage: true },
          { ...version, storage: false },
        ];
        const older = await manifest('older', { ...ownDefinition, spec: { ...ownDefinition?.spec, versions } });
        await kubectl('apply', '--server-side', '--field-manager=fairway-install', '-f', older);
        const plan = JSON.parse((await kubectl('get', 'plan', 'free', '-o', 'json')).stdout) as Plan;
        const old = { ...plan, apiVersion: 'fairway.dev/v1alpha0', metadata: { name: 'old' } };
        const stored = await kubectl('create', '-f', await manifest('old', old));

        const installed = await install();
        const { stdout: after } = await kubectl('get', 'crd', 'plans.fairway.dev', '-o', 'json');
        const read = await kubectl('get', 'plans.v1alpha1.fairway.dev', 'old', '-o', 'jsonpath={.spec.maxNodes}');
        const reinstalled = await install();

        expect(stored.code).toBe(0);
        expect(installed.stdout).toContain(
          'customresourcedefinition.apiextensions.k8s.io/plans.fairway.dev configured',
        );
        expect(JSON.parse(after)).toMatchObject({
          spec: {
            versions: [
              { name: 'v1alpha1', storage: true },
              { name: 'v1alpha0', storage: false, served: true },
            ],
          },
          status: { storedVersions: expect.arrayContaining(['v1alpha0', 'v1alpha1']) },
        });
        expect(read.stdout).toBe(String(plan.spec.maxNodes));
        expect(reinstalled.stdout).not.toMatch(/ (created|configured)$/m);
      },
    );

    test('the ServiceAccount has only the permissions that controllers need', async () => {
      await cluster.giveControllersToken();
      const canI = async (...question: readonly string[]) => {
        const args = ['--kubeconfig', cluster.kubeconfigs.controllers, 'auth', 'can-i', ...question];
        return (await run(kubectlPath ?? '', args)).stdout.trim();
      };

      expect(await canI('create', 'machines.fairway.dev', '-n', 'default')).toBe('yes');
      expect(await canI('patch', 'clusters.fairway.dev/status', '-n', 'default')).toBe('yes');
      expect(await canI('delete', 'clusters.fairway.dev', '-n', 'default')).toBe('no');
      expect(await canI('list', 'secrets', '-n', 'default')).toBe('no');
      expect(await canI('delete', 'namespaces')).toBe('no');
      expect(await canI('create', 'pods', '-n', 'default')).toBe('no');
      expect(await canI('*', 'customresourcedefinitions')).toBe('no');
    });

    test('fairway serve runs as the ServiceAccount, and a cluster in YAML becomes Ready nodes', async () => {
      replica = await serve();
      emptyCloud = await cloudContent(cloudsYaml());
      const applied = await kubectl('apply', '-f', 'examples/cluster.yaml');
      const waited = await kubectl('wait', '--for=condition=Ready', 'cluster.fairway.dev/demo', '--timeout=5m');
      const { stdout: listed } = await kubectl('get', 'clusters,nodepools,machines');

      expect(applied).toMatchObject({
        stdout:
          'cluster.fairway.dev/demo created\nnodepool.fairway.dev/demo-general created\nnodepool.fairway.dev/demo-memory created\n',
        stderr: '',
      });
      expect(waited).toMatchObject({ code: 0, stdout: 'cluster.fairway.dev/demo condition met\n' });
      expect(listed).toMatch(/NAME +VERSION +PHASE +READY +OPERATION +PLAN +AGE +MESSAGE/);
      expect(listed).toMatch(/cluster\.fairway\.dev\/demo +1\.\d+\.\d+ +Ready +4\/4 +free/);
      expect(listed.match(/machine\.fairway\.dev\/demo-\S+ +demo-(general|memory) +Ready/g)).toHaveLength(4);
    });

    test('kubectl supports short names and categories, and explains the kinds', async () => {
      const [all, explanation] = [
        await kubectl('get', 'fairway', '-o', 'name'),
        await kubectl('explain', 'nodepool.spec.replicas'),
      ];

      expect(all.stdout).toContain('cluster.fairway.dev/demo\n');
      expect(explanation.stdout).toMatch(/replicas\s+<integer>/);
    });

    test('only the gateway issues kubeconfigs, and the API server reports that to users', async () => {
      const refused = await fairway('kubeconfig', 'demo');

      expect(refused).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/cannot issue kubeconfigs\n.*gateway/),
      });
    });

    test('fairway serve continues after a restart of the API server', async () => {
      await cluster.plane.restartApiServer();
      const scaled = await kubectl('scale', 'nodepool/demo-general', '--replicas=4');

      expect(scaled.code).toBe(0);
      await generalIsReady('4/4');
    });

    test('changes are never accepted without validation while Fairway is stopped, and Fairway resumes after a restart', async () => {
      await replica.kill();
      const refused = await kubectl('scale', 'nodepool/demo-general', '--replicas=2');
      replica = await serve();
      const scaled = await kubectl('scale', 'nodepool/demo-general', '--replicas=2');

      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('failed calling webhook') });
      expect(scaled.code).toBe(0);
      await generalIsReady('2/2');
    });

    test('a deleted cluster leaves nothing behind', async () => {
      const deleted = await kubectl('delete', 'cluster.fairway.dev/demo', '--timeout=5m');
      const { stdout: remaining } = await kubectl('get', 'clusters,nodepools,machines,secrets', '-A', '-o', 'name');

      expect(deleted.code).toBe(0);
      expect(remaining).not.toMatch(/demo/);
      expect(await cloudContent(cloudsYaml())).toEqual(emptyCloud);
    });
  },
);
