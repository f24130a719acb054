import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditedWrites } from './clients/audited-writes.ts';
import { findProgram } from './clients/client-binaries.ts';
import { CONTROL_PLANES, MANIFEST } from './clients/control-planes.ts';
import { hasKubectl, Kubectl } from './clients/kubectl.ts';
import { cloudContent } from './session/cloud-content.ts';
import { ProvisionedCluster } from './session/provisioned-cluster.ts';
import { PROJECT, run } from './session/running-fairway.ts';

const program = hasKubectl ? findProgram('helm') : undefined;
const described = program?.version ?? '(skipped: no kubectl, or "testbed/clients/testbed build" has not made it)';
const deadlineMs = 300_000;
const CHARTS = join(PROJECT, 'tests/clients/charts');
const FLEET = join(PROJECT, 'examples/helm/cluster');

interface Revision {
  readonly revision: number;
  readonly status: string;
}

/** Helm installs, upgrades, rolls back and uninstalls, and waits for what it applies. */
describe.skipIf(program === undefined).each(CONTROL_PLANES)(
  `Helm ${described} on $plane`,
  ({ controlPlane, isMissing }) => {
    describe.skipIf(isMissing)('using a chart', () => {
      let folder: string;
      let cluster: ProvisionedCluster;
      let kubectl: Kubectl;

      beforeAll(async () => {
        if (program === undefined) return;
        folder = await mkdtemp(join(tmpdir(), 'fairway-helm-'));
        cluster = await ProvisionedCluster.create({ manifest: MANIFEST, controlPlane, deadlineMs });
        kubectl = new Kubectl(cluster.kubeconfig);
      });
      afterAll(async () => {
        await cluster?.[Symbol.asyncDispose]();
        await rm(folder ?? '', { recursive: true, force: true });
      });

      const runHelm = (kubeconfig: string, args: readonly string[]) =>
        run(program?.path ?? '', args, { KUBECONFIG: kubeconfig, HOME: folder });
      const helm = (...args: readonly string[]) => runHelm(cluster.kubeconfig, args);
      const wait = ['--wait', '--timeout=3m'];
      const chart = join(CHARTS, 'shop');
      const history = async () => {
        const { stdout } = await helm('history', 'shop', '-o', 'json');
        return (JSON.parse(stdout) as Revision[]).map(({ revision, status }) => `${revision} ${status}`);
      };
      const replicas = () => kubectl.ok('get', 'deployment', 'shop-web', '-o', 'jsonpath={.status.readyReplicas}');

      test('applies definitions first, runs the chart’s hook, and waits for its workloads', async () => {
        const result = await helm('install', 'shop', chart, ...wait);

        expect(result).toMatchObject({ code: 0, stderr: '' });
        expect(await kubectl.json('get', 'job', 'shop-migration')).toMatchObject({ status: { succeeded: 1 } });
        expect(await kubectl.json('get', 'offer', 'shop-apples')).toMatchObject({
          spec: { price: 2, currency: 'EUR' },
        });
        expect(await replicas()).toBe('2');
      });

      test('passes the chart’s test', async () => {
        const result = await helm('test', 'shop', '--timeout=2m');

        expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(/Phase: +Succeeded/) });
      });

      test('does not change objects on an upgrade without a change', async () => {
        const objects = () => kubectl.ok('get', 'offers,deployments,services,configmaps', '-o', 'json');
        const before = await objects();

        expect(await helm('upgrade', 'shop', chart, ...wait)).toMatchObject({ code: 0 });

        expect(await objects()).toEqual(before);
      });

      test('applies changed values on an upgrade', async () => {
        expect(await helm('upgrade', 'shop', chart, '--set=replicas=3', ...wait)).toMatchObject({ code: 0 });

        expect(await replicas()).toBe('3');
        expect(await kubectl.json('get', 'offer', 'shop-apples')).toMatchObject({ spec: { price: 3 } });
      });

      test('rolls back an upgrade whose hook fails', async () => {
        const values = ['--set=replicas=4', '--set=migration=false', '--rollback-on-failure'];
        const result = await helm('upgrade', 'shop', chart, ...values, ...wait);

        expect(result.code).toBe(1);
        expect(result.stderr).toContain('pre-upgrade hooks failed');
        expect(await history()).toEqual(['1 superseded', '2 superseded', '3 superseded', '4 failed', '5 deployed']);
        expect(await replicas()).toBe('3');
      });

      test('restores the previous state on a rollback', async () => {
        expect(await helm('rollback', 'shop', '1', ...wait)).toMatchObject({ code: 0 });

        expect(await replicas()).toBe('2');
        expect(await kubectl.json('get', 'offer', 'shop-apples')).toMatchObject({ spec: { price: 2 } });
      });

      test('leaves only the chart’s definitions after an uninstall', async () => {
        expect(await helm('uninstall', 'shop', ...wait)).toMatchObject({ code: 0 });

        const remaining = await kubectl.ok('get', 'offers,deployments,services,configmaps,secrets', '-o', 'name');
        expect(remaining.split('\n').filter((name) => name.includes('shop'))).toEqual([]);
        expect(await kubectl.ok('get', 'crd', 'offers.shop.example.org', '-o', 'name')).not.toBe('');
      });

      describe.runIf(controlPlane === 'simulated')('using a chart for a Cluster in Fairway', () => {
        const own = (...args: readonly string[]) => runHelm(cluster.fairway.kubeconfig, args);
        const writes = () => auditedWrites(cluster.home, /^Helm/);
        const pools = async () => {
          const { items } = await cluster.own.resource<NodePool>(nodePools).list(cluster.where);
          return items
            .filter(({ spec }) => spec.clusterName === 'helmed')
            .map(({ metadata, spec, status }) => [metadata.name, spec.replicas, status?.readyReplicas]);
        };
        const generations = async () => {
          const { items } = await cluster.own.resource<NodePool>(nodePools).list(cluster.where);
          const helmCluster = await cluster.own.resource(clusters).get('helmed', cluster.where);
          return [helmCluster, ...items].map(({ metadata: { name, generation, managedFields } }) => ({
            name,
            generation,
            byHelm: managedFields?.filter(({ manager }) => manager === 'helm'),
          }));
        };
        let before: Awaited<ReturnType<typeof cloudContent>>;

        test('is installed and becomes Ready', async () => {
          before = await cloudContent(cluster.fairway.cloudsYaml);
          const result = await own('install', 'helmed', FLEET, ...wait);

          expect(result).toMatchObject({ code: 0, stderr: '' });
          expect(await pools()).toEqual([['helmed-general', 1, 1]]);
        });

        test('changes nothing on an upgrade without a change', async () => {
          const known = await generations();

          expect(await own('upgrade', 'helmed', FLEET, ...wait)).toMatchObject({ code: 0 });

          expect(await generations()).toEqual(known);
        });

        test('scales a pool and adds another on an upgrade', async () => {
          const values = ['--set=pools.general.replicas=2', '--set=pools.memory.flavor=r3-128,pools.memory.replicas=1'];
          const result = await own('upgrade', 'helmed', FLEET, ...values, ...wait);

          expect(result).toMatchObject({ code: 0 });
          expect(await pools()).toEqual([
            ['helmed-general', 2, 2],
            ['helmed-memory', 1, 1],
          ]);
        });

        test('reports a manual change as a conflict unless the change is to be overwritten', async () => {
          await cluster.patchPool('helmed-general', { replicas: 3 });
          const upgrade = ['upgrade', 'helmed', FLEET, '--reuse-values', ...wait];

          const refused = await own(...upgrade);
          const taken = await own(...upgrade, '--force-conflicts');

          expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/conflict[^]*\.spec\.replicas/) });
          expect(taken).toMatchObject({ code: 0 });
          await expect.poll(pools).toEqual([
            ['helmed-general', 2, 2],
            ['helmed-memory', 1, 1],
          ]);
        });

        test('refuses an invalid value, and names its field', async () => {
          const values = ['--reuse-values', '--set=pools.general.replicas=-1'];
          const result = await own('upgrade', 'helmed', FLEET, ...values, ...wait);

          expect(result.code).toBe(1);
          expect(result.stderr).toContain('spec.replicas');
        });

        test('reverts both pool changes on a rollback', async () => {
          expect(await own('rollback', 'helmed', '1', ...wait)).toMatchObject({ code: 0 });

          await expect.poll(pools).toEqual([['helmed-general', 1, 1]]);
        });

        test('is deleted with all of its cloud resources', async () => {
          expect(await own('uninstall', 'helmed', '--wait', '--timeout=5m')).toMatchObject({ code: 0 });

          expect(await pools()).toEqual([]);
          expect(await cloudContent(cluster.fairway.cloudsYaml)).toEqual(before);
          expect(
            writes()
              .done.filter((write) => write.startsWith('delete '))
              .toSorted(),
          ).toEqual(['delete clusters/helmed', 'delete nodepools/helmed-general', 'delete nodepools/helmed-memory']);
        });
      });
    });
  },
);
