import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyDeleted } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditedWrites } from './clients/audited-writes.ts';
import { findProgram } from './clients/client-binaries.ts';
import { CONTROL_PLANES, MANIFEST } from './clients/control-planes.ts';
import { Flux } from './clients/flux.ts';
import { GitRepository } from './clients/git-repository.ts';
import { hasKubectl, Kubectl } from './clients/kubectl.ts';
import { cloudContent } from './session/cloud-content.ts';
import { ProvisionedCluster } from './session/provisioned-cluster.ts';
import { PROJECT } from './session/running-fairway.ts';

const source = hasKubectl ? findProgram('source-controller') : undefined;
const kustomize = source && findProgram('kustomize-controller');
const described = kustomize?.version ?? '(skipped: no kubectl, or "testbed/clients/testbed build" has not made it)';
const deadlineMs = 300_000;
const EXAMPLE = join(PROJECT, 'examples/gitops');
const FLEET = 'fleet';
const SHOP = join(PROJECT, 'tests/clients/shop');
const where = { namespace: 'default' };

const filesOf = (folder: string, as: string) =>
  Object.fromEntries(readdirSync(folder).map((file) => [`${as}/${file}`, readFileSync(join(folder, file), 'utf8')]));

/** Flux applies the contents of a repository on disk, compares them repeatedly, and deletes what has been removed. */
describe.skipIf(kustomize === undefined).each(CONTROL_PLANES)(
  `Flux ${described} on $plane`,
  ({ controlPlane, isMissing }) => {
    describe.skipIf(isMissing)('using a repository', () => {
      let folder: string;
      let cluster: ProvisionedCluster;
      let kubectl: Kubectl;
      let repository: GitRepository;
      let flux: Flux;

      beforeAll(async () => {
        if (source === undefined || kustomize === undefined) return;
        folder = await mkdtemp(join(tmpdir(), 'fairway-gitops-'));
        repository = await GitRepository.open(folder);
        cluster = await ProvisionedCluster.create({ manifest: MANIFEST, controlPlane, deadlineMs });
        kubectl = new Kubectl(cluster.kubeconfig);
        flux = await Flux.start({ source, kustomize, kubectl, client: cluster.tenant, folder });
      });
      afterAll(async () => {
        await flux?.[Symbol.asyncDispose]();
        await cluster?.[Symbol.asyncDispose]();
        await repository?.[Symbol.asyncDispose]();
        await rm(folder ?? '', { recursive: true, force: true });
      });

      /** The example as users apply it, with their own repository. */
      const follow = async (name: string, path: string) => {
        const example = readFileSync(join(EXAMPLE, 'flux.yaml'), 'utf8');
        const manifest = example
          .replace(/https:.*/, repository.url)
          .replaceAll('name: fleet', `name: ${name}`)
          .replace(`./${FLEET}`, `./${path}`);
        const own = path === FLEET ? manifest : manifest.replace(/ {2}# The API to which[^]*$/, '');
        await kubectl.apply(join(folder, `${name}.yaml`), own);
      };

      test('applies definitions, their objects and workloads in order', async () => {
        const commit = repository.commit(filesOf(SHOP, 'shop'));
        await follow('shop', 'shop');
        await flux.applyCommit('shop', commit);

        const offer = await kubectl.json('-n', 'shop', 'get', 'offer', 'apples');
        const web = await kubectl.json('-n', 'shop', 'get', 'deployment', 'web');
        expect(offer).toMatchObject({ spec: { price: 3, currency: 'EUR' } });
        expect(web).toMatchObject({ status: { readyReplicas: 2 } });
      });

      const readShop = () => kubectl.ok('-n', 'shop', 'get', 'offers,deployments,services,configmaps', '-o', 'json');

      test('does not write unchanged objects again', async () => {
        const before = await readShop();

        await flux.reconcileAll('shop');
        await flux.reconcileAll('shop');

        expect(await readShop()).toEqual(before);
      });

      test('reverts changes by others', async () => {
        await kubectl.ok('-n', 'shop', 'scale', 'deployment', 'web', '--replicas=5');
        await kubectl.ok('-n', 'shop', 'patch', 'offer', 'apples', '--type=merge', '-p', '{"spec":{"price":9}}');

        await flux.reconcileAll('shop');

        expect(await kubectl.json('-n', 'shop', 'get', 'deployment', 'web')).toMatchObject({ spec: { replicas: 2 } });
        expect(await kubectl.json('-n', 'shop', 'get', 'offer', 'apples')).toMatchObject({ spec: { price: 3 } });
      });

      test('deletes what has been removed from the repository', async () => {
        const all = readFileSync(join(SHOP, 'kustomization.yaml'), 'utf8');
        const commit = repository.commit({ 'shop/kustomization.yaml': all.replace('  - offer.yaml\n', '') });

        await flux.applyCommit('shop', commit);

        expect((await kubectl.run('-n', 'shop', 'get', 'offer', 'apples')).stderr).toContain('not found');
        expect(await kubectl.ok('-n', 'shop', 'get', 'deployment', 'web', '-o', 'name')).toContain('web');
      });

      test('deletes everything with the Kustomization', async () => {
        await kubectl.ok('-n', 'flux-system', 'delete', 'kustomization', 'shop', '--timeout=2m');
        await eventuallyDeleted(cluster.tenant.resource(Namespaces), { name: 'shop' });

        expect((await kubectl.run('get', 'crd', 'offers.shop.example.org')).stderr).toContain('not found');
      });

      describe.runIf(controlPlane === 'simulated')('a Cluster in Fairway', () => {
        let before: Awaited<ReturnType<typeof cloudContent>>;
        const writes = () => auditedWrites(cluster.home, /^kustomize-controller/);
        const replicas = async () => {
          const { items } = await cluster.own.resource<NodePool>(nodePools).list(where);
          const own = items.filter(({ spec }) => spec.clusterName === 'fleet');
          return own.map(({ spec, status }) => [spec.replicas, status?.readyReplicas]);
        };

        const commitGeneral = (replicas: number) => {
          const general = readFileSync(join(EXAMPLE, 'fleet/general.yaml'), 'utf8');
          return repository.commit({
            [`${FLEET}/general.yaml`]: general.replace('replicas: 2', `replicas: ${replicas}`),
          });
        };

        test('is created from the example, and becomes Ready', async () => {
          before = await cloudContent(cluster.fairway.cloudsYaml);
          const fairway = `--from-file=value=${cluster.fairway.kubeconfig}`;
          await kubectl.ok('-n', 'flux-system', 'create', 'secret', 'generic', 'fairway', fairway);
          const commit = repository.commit(filesOf(join(EXAMPLE, 'fleet'), FLEET));
          await follow('fleet', FLEET);

          await flux.applyCommit('fleet', commit);

          expect(await replicas()).toEqual([
            [2, 2],
            [1, 1],
          ]);
          expect(writes().done.toSorted()).toEqual([
            'patch clusters/fleet',
            'patch nodepools/fleet-general',
            'patch nodepools/fleet-memory',
          ]);
        });

        test('is compared without being written', async () => {
          const { done, dryRuns } = writes();

          await flux.reconcileAll('fleet');
          await flux.reconcileAll('fleet');

          expect(writes().done).toEqual(done);
          expect(writes().dryRuns).toBeGreaterThanOrEqual(dryRuns + 6);
        });

        test('applies a commit with one write', async () => {
          const known = writes().done.length;

          await flux.applyCommit('fleet', commitGeneral(3));

          await expect.poll(replicas).toEqual([
            [3, 3],
            [1, 1],
          ]);
          expect(writes().done.slice(known)).toEqual(['patch nodepools/fleet-general']);
        });

        test('stays unchanged after an invalid commit, with the field named in the error', async () => {
          const known = writes().done.length;

          const message = await flux.reconcileRefusedCommit('fleet', commitGeneral(-1));

          expect(message).toContain('spec.replicas');
          expect(writes().done.slice(known)).toEqual([]);
          await flux.applyCommit('fleet', commitGeneral(3));
        });

        test('matches the repository, regardless of other changes', async () => {
          const known = writes().done.length;
          await cluster.patchPool('fleet-general', { replicas: 5 });

          await flux.reconcileAll('fleet');

          await expect.poll(replicas).toEqual([
            [3, 3],
            [1, 1],
          ]);
          expect(writes().done.slice(known)).toEqual(['patch nodepools/fleet-general']);
        });

        test('loses a pool that has been removed from the repository', async () => {
          const all = readFileSync(join(EXAMPLE, 'fleet/kustomization.yaml'), 'utf8');
          const kustomization = all.replace('  - memory.yaml\n', '');
          const commit = repository.commit({ [`${FLEET}/kustomization.yaml`]: kustomization });

          await flux.applyCommit('fleet', commit);

          await eventuallyDeleted(cluster.own.resource(nodePools), { ...where, name: 'fleet-memory' }, { deadlineMs });
          expect(await replicas()).toEqual([[3, 3]]);
        });

        test('is deleted with all of its cloud resources', async () => {
          await kubectl.ok('-n', 'flux-system', 'delete', 'kustomization', 'fleet', '--timeout=2m');

          await eventuallyDeleted(cluster.own.resource(clusters), { ...where, name: 'fleet' }, { deadlineMs });
          await eventually(cluster.own.resource(nodePools), where, (all) => all.length === 0, { deadlineMs });
          await expect.poll(() => cloudContent(cluster.fairway.cloudsYaml)).toEqual(before);
        });
      });
    });
  },
);
