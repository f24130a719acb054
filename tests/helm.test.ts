import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditedWrites } from './clients/audited-writes.ts';
import { CONTROL_PLANES, MANIFEST } from './clients/control-planes.ts';
import { hasKubectl, Kubectl } from './clients/kubectl.ts';
import { findProgram } from './clients/programs.ts';
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

/** Installs, upgrades, rolls back and uninstalls, and waits for what it applies. */
describe.skipIf(program === undefined).each(CONTROL_PLANES)(
  `Helm ${described} on $plane`,
  ({ controlPlane, isMissing }) => {
    describe.skipIf(isMissing)('with a chart', () => {
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

      const helmOf = (kubeconfig: string, args: readonly string[]) =>
        run(program?.path ?? '', args, { KUBECONFIG: kubeconfig, HOME: folder });
      const helm = (...args: readonly string[]) => helmOf(cluster.kubeconfig, args);
      const wait = ['--wait', '--timeout=3m'];
      const chart = join(CHARTS, 'shop');
      const history = async () => {
        const { stdout } = await helm('history', 'shop', '-o', 'json');
        return (JSON.parse(stdout) as Revision[]).map(({ revision, status }) => `${revision} ${status}`);
      };
      const replicas = () => kubectl.ok('get', 'deployment', 'shop-web', '-o', 'jsonpath={.status.readyReplicas}');

      test('its definitions are applied first, its hook runs, and its workloads are waited for', async () => {
        const answer = await helm('install', 'shop', chart, ...wait);

        expect(answer).toMatchObject({ code: 0, stderr: '' });
        expect(await kubectl.json('get', 'job', 'shop-migration')).toMatchObject({ status: { succeeded: 1 } });
        expect(await kubectl.json('get', 'offer', 'shop-apples')).toMatchObject({
          spec: { price: 2, currency: 'EUR' },
        });
        expect(await replicas()).toBe('2');
      });

      test('its test passes', async () => {
        const answer = await helm('test', 'shop', '--timeout=2m');

        expect(answer).toMatchObject({ code: 0, stdout: expect.stringMatching(/Phase: +Succeeded/) });
      });

      test('an upgrade without a change changes no object', async () => {
        const objects = () => kubectl.ok('get', 'offers,deployments,services,configmaps', '-o', 'json');
        const before = await objects();

        expect(await helm('upgrade', 'shop', chart, ...wait)).toMatchObject({ code: 0 });

        expect(await objects()).toEqual(before);
      });

      test('an upgrade applies changed values', async () => {
        expect(await helm('upgrade', 'shop', chart, '--set=replicas=3', ...wait)).toMatchObject({ code: 0 });

        expect(await replicas()).toBe('3');
        expect(await kubectl.json('get', 'offer', 'shop-apples')).toMatchObject({ spec: { price: 3 } });
      });

      test('an upgrade whose hook fails is rolled back', async () => {
        const values = ['--set=replicas=4', '--set=migration=false', '--rollback-on-failure'];
        const answer = await helm('upgrade', 'shop', chart, ...values, ...wait);

        expect(answer.code).toBe(1);
        expect(answer.stderr).toContain('pre-upgrade hooks failed');
        expect(await history()).toEqual(['1 superseded', '2 superseded', '3 superseded', '4 failed', '5 deployed']);
        expect(await replicas()).toBe('3');
      });

      test('a rollback restores the previous state', async () => {
        expect(await helm('rollback', 'shop', '1', ...wait)).toMatchObject({ code: 0 });

        expect(await replicas()).toBe('2');
        expect(await kubectl.json('get', 'offer', 'shop-apples')).toMatchObject({ spec: { price: 2 } });
      });

      test('it leaves nothing but its definitions', async () => {
        expect(await helm('uninstall', 'shop', ...wait)).toMatchObject({ code: 0 });

        const left = await kubectl.ok('get', 'offers,deployments,services,configmaps,secrets', '-o', 'name');
        expect(left.split('\n').filter((name) => name.includes('shop'))).toEqual([]);
        expect(await kubectl.ok('get', 'crd', 'offers.shop.example.org', '-o', 'name')).not.toBe('');
      });

      describe.runIf(controlPlane === 'simulated')('of a Cluster at Fairway', () => {
        const own = (...args: readonly string[]) => helmOf(cluster.fairway.kubeconfig, args);
        const writes = () => auditedWrites(cluster.home, /^Helm/);
        const pools = async () => {
          const { items } = await cluster.own.resource<NodePool>(nodePools).list(cluster.where);
          return items
            .filter(({ spec }) => spec.clusterName === 'helmed')
            .map(({ metadata, spec, status }) => [metadata.name, spec.replicas, status?.readyReplicas]);
        };
        const generations = async () => {
          const { items } = await cluster.own.resource<NodePool>(nodePools).list(cluster.where);
          const helmed = await cluster.own.resource(clusters).get('helmed', cluster.where);
          return [helmed, ...items].map(({ metadata: { name, generation, managedFields } }) => ({
            name,
            generation,
            byHelm: managedFields?.filter(({ manager }) => manager === 'helm'),
          }));
        };
        let before: Awaited<ReturnType<typeof cloudContent>>;

        test('it is installed, and Ready', async () => {
          before = await cloudContent(cluster.fairway.cloudsYaml);
          const answer = await own('install', 'helmed', FLEET, ...wait);

          expect(answer).toMatchObject({ code: 0, stderr: '' });
          expect(await pools()).toEqual([['helmed-general', 1, 1]]);
        });

        test('an upgrade without a change changes nothing', async () => {
          const known = await generations();

          expect(await own('upgrade', 'helmed', FLEET, ...wait)).toMatchObject({ code: 0 });

          expect(await generations()).toEqual(known);
        });

        test('an upgrade scales a pool and adds another', async () => {
          const values = ['--set=pools.general.replicas=2', '--set=pools.memory.flavor=r3-128,pools.memory.replicas=1'];
          const answer = await own('upgrade', 'helmed', FLEET, ...values, ...wait);

          expect(answer).toMatchObject({ code: 0 });
          expect(await pools()).toEqual([
            ['helmed-general', 2, 2],
            ['helmed-memory', 1, 1],
          ]);
        });

        test('a manual change is a conflict, unless it is to be overwritten', async () => {
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

        test('an invalid value is refused with its field', async () => {
          const values = ['--reuse-values', '--set=pools.general.replicas=-1'];
          const answer = await own('upgrade', 'helmed', FLEET, ...values, ...wait);

          expect(answer.code).toBe(1);
          expect(answer.stderr).toContain('spec.replicas');
        });

        test('a rollback reverts both', async () => {
          expect(await own('rollback', 'helmed', '1', ...wait)).toMatchObject({ code: 0 });

          await expect.poll(pools).toEqual([['helmed-general', 1, 1]]);
        });

        test('it is deleted with all of its cloud resources', async () => {
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
