import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CoeSession, type Person } from './magnum/coe-session.ts';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { run } from './session/running-fairway.ts';
import { findCoeClient, findKubectls } from './session/tools.ts';

const client = findCoeClient();
const [kubectl] = findKubectls();
const missing = client === undefined ? ' (skipped: there is no /usr/bin/openstack with python3-magnumclient)' : '';

describe.skipIf(client === undefined).each(JOB_TARGETS)(`openstack coe on $name${missing}`, (target) => {
  describe.skipIf(target.isMissing)('used by Magnum users', () => {
    let session: CoeSession;
    /** The newest two versions available to new clusters. */
    let older: string;
    let newer: string;

    beforeAll(async () => {
      session = await CoeSession.open(target, client ?? '');
      [older, newer] = await session.newestTemplates();
    });
    afterAll(() => session?.close());

    const coe = (person: Person, ...args: readonly string[]) => session.openstack(person, 'coe', ...args);
    const show = (name: string) => session.json('tenant', 'coe', 'cluster', 'show', name);
    const waitForStatus = (name: string, status: string) =>
      expect.poll(async () => (await show(name))['status'], { interval: 1_000, timeout: 400_000 }).toBe(status);

    test('creates a cluster from a user’s own template, with a trust that Fairway stores with it', async () => {
      const { flavor, image } = session.cloud;
      const own = [
        'template',
        'create',
        'mine',
        '--coe',
        'kubernetes',
        '--image',
        image,
        '--flavor',
        flavor,
        '--external-network',
        'public',
      ];
      const creation = await coe(
        'tenant',
        'cluster',
        ...own,
        '--labels',
        `kube_tag=v${older.split('-')[1]},fairway_plan=free`,
      );
      expect(creation).toMatchObject({ code: 0, stdout: expect.stringContaining('accepted') });

      const created = await coe(
        'tenant',
        'cluster',
        'create',
        'Demo_1',
        '--cluster-template',
        'mine',
        '--node-count',
        '1',
      );
      expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining('accepted') });
      await waitForStatus('Demo_1', 'CREATE_COMPLETE');

      const shown = await show('Demo_1');
      expect(shown).toMatchObject({
        name: 'Demo_1',
        flavor_id: flavor,
        health_status: 'HEALTHY',
        coe_version: expect.stringMatching(/^v1\./),
      });
      expect(shown['node_addresses']).toHaveLength(1);
      expect(await session.trusts()).toHaveLength(1);
      expect((await coe('tenant', 'cluster', 'template', 'delete', 'mine')).stdout).toMatch(
        /referenced by one or multiple clusters/,
      );
    });

    test.skipIf(kubectl === undefined)('returns a cluster config that works with kubectl', async () => {
      const written = await coe('tenant', 'cluster', 'config', 'Demo_1', '--dir', session.folder, '--force');
      expect(written).toMatchObject({ code: 0, stdout: expect.stringContaining('export KUBECONFIG=') });

      const nodes = await run(kubectl?.path ?? '', [
        '--kubeconfig',
        join(session.folder, 'config'),
        'get',
        'nodes',
        '-o',
        'name',
      ]);
      expect(nodes).toMatchObject({ code: 0, stdout: expect.stringMatching(/^node\/\S+-worker-\S+\n$/) });
      const authority = await coe('tenant', 'ca', 'show', 'Demo_1');
      expect(authority.stdout).toContain('BEGIN CERTIFICATE');
    });

    test('resizes a cluster with both commands', async () => {
      expect((await coe('tenant', 'cluster', 'resize', 'Demo_1', '2')).code).toBe(0);
      await waitForStatus('Demo_1', 'UPDATE_COMPLETE');
      expect((await coe('tenant', 'cluster', 'update', 'Demo_1', 'replace', 'node_count=1')).code).toBe(0);
      await waitForStatus('Demo_1', 'UPDATE_COMPLETE');
      expect((await show('Demo_1'))['node_addresses']).toHaveLength(1);
    });

    test('creates, changes and deletes a nodegroup', async () => {
      const create = [
        'nodegroup',
        'create',
        'Demo_1',
        'more',
        '--node-count',
        '1',
        '--min-nodes',
        '1',
        '--max-nodes',
        '3',
      ];
      expect(await coe('tenant', ...create)).toMatchObject({ code: 0 });
      await waitForStatus('Demo_1', 'UPDATE_COMPLETE');
      const groups = await session.json<{ name: string }[]>('tenant', 'coe', 'nodegroup', 'list', 'Demo_1');
      expect(groups).toMatchObject([
        { name: 'default-master', role: 'master' },
        { name: 'default-worker', node_count: 1 },
        { name: 'more', node_count: 1, status: expect.stringMatching(/_COMPLETE$/) },
      ]);

      expect((await coe('tenant', 'nodegroup', 'update', 'Demo_1', 'more', 'replace', 'max_node_count=4')).code).toBe(
        0,
      );
      const group = await session.json('tenant', 'coe', 'nodegroup', 'show', 'Demo_1', 'more');
      expect(group).toMatchObject({ min_node_count: 1, max_node_count: 4 });
      expect((await coe('tenant', 'nodegroup', 'delete', 'Demo_1', 'more')).code).toBe(0);
      await expect
        .poll(() => session.json<unknown[]>('tenant', 'coe', 'nodegroup', 'list', 'Demo_1'), {
          interval: 1_000,
          timeout: 400_000,
        })
        .toHaveLength(2);
    });

    test('upgrades a cluster to the next version', async () => {
      expect(await coe('tenant', 'cluster', 'upgrade', 'Demo_1', newer)).toMatchObject({ code: 0 });
      await waitForStatus('Demo_1', 'UPDATE_COMPLETE');

      expect((await show('Demo_1'))['coe_version']).toMatch(
        new RegExp(`^v${newer.split('-')[1]?.replace('.', '\\.')}\\.`),
      );
    });

    test('rotates the CAs of a cluster', async () => {
      const authority = async () => (await coe('tenant', 'ca', 'show', 'Demo_1')).stdout;
      const before = await authority();
      expect(await coe('tenant', 'ca', 'rotate', 'Demo_1')).toMatchObject({ code: 0 });
      expect(await show('Demo_1')).toMatchObject({ status: 'UPDATE_IN_PROGRESS' });
      await waitForStatus('Demo_1', 'UPDATE_COMPLETE');

      const after = await authority();
      expect(after).toContain('BEGIN CERTIFICATE');
      expect(after).not.toBe(before);
      expect((await show('Demo_1'))['node_addresses']).toHaveLength(1);
    });

    test.skipIf(kubectl === undefined)(
      'returns a new config that works with kubectl, while the previous one is refused',
      async () => {
        const nodes = () =>
          run(kubectl?.path ?? '', ['--kubeconfig', join(session.folder, 'config'), 'get', 'nodes', '-o', 'name']);
        expect((await nodes()).code).not.toBe(0);
        await coe('tenant', 'cluster', 'config', 'Demo_1', '--dir', session.folder, '--force');

        expect(await nodes()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^node\/\S+\n$/) });
      },
    );

    test('hides the cluster from other users', async () => {
      const uuid = String((await show('Demo_1'))['uuid']);
      const foreignCommands = [
        ['cluster', 'show', uuid],
        ['cluster', 'resize', uuid, '9'],
        ['cluster', 'delete', uuid],
        ['cluster', 'config', uuid, '--dir', session.folder, '--force'],
      ];
      for (const args of foreignCommands) {
        const { stdout, stderr } = await coe('outsider', ...args);
        expect(`${args.join(' ')}: ${stdout}${stderr}`).toContain('could not be found');
      }
      expect(await session.json('outsider', 'coe', 'cluster', 'list')).toEqual([]);
      const project = String((await show('Demo_1'))['project_id']);
      expect((await coe('outsider', 'stats', 'list', project)).stderr).toContain("Policy doesn't allow stats:get_all");

      expect((await session.json<unknown[]>('reader', 'coe', 'cluster', 'list')).length).toBe(1);
      for (const args of [
        ['cluster', 'resize', uuid, '9'],
        ['cluster', 'delete', uuid],
        ['ca', 'rotate', uuid],
      ]) {
        const { stdout, stderr } = await coe('reader', ...args);
        expect(`${args.join(' ')}: ${stdout}${stderr}`).toMatch(
          /Policy doesn't allow (cluster|certificate):\w+ to be performed/,
        );
      }
      expect(await show('Demo_1')).toMatchObject({ node_count: 1, status: 'UPDATE_COMPLETE' });
      for (const args of [
        ['quotas', 'list', '--all-tenants'],
        ['service', 'list'],
      ]) {
        const { stderr } = await coe('tenant', ...args);
        expect(stderr).toMatch(/Policy doesn't allow/);
      }
    });

    test('lists a cluster that was created with kubectl', async () => {
      const { api } = session.fairway;
      const [created] = (await api.resource(clusters).list()).items;
      expect(created).toMatchObject({ metadata: { name: expect.stringMatching(/^demo-1-/) } });
      const metadata = { name: 'plain', namespace: created?.metadata.namespace ?? '' };
      const spec = { plan: 'free', credentialName: created?.spec.credentialName };
      await api.resource(clusters).create({ metadata, spec } as never);

      const listed = await session.json<{ name: string }[]>('tenant', 'coe', 'cluster', 'list');
      expect(listed.map(({ name }) => name).sort()).toEqual(['Demo_1', 'plain']);
      expect((await coe('tenant', 'cluster', 'delete', 'plain')).code).toBe(0);
    });

    test('deletes the trust with the cluster', async () => {
      expect(await coe('tenant', 'cluster', 'delete', 'Demo_1')).toMatchObject({ code: 0 });
      await expect
        .poll(() => session.json<unknown[]>('tenant', 'coe', 'cluster', 'list'), { interval: 1_000, timeout: 400_000 })
        .toEqual([]);
      await expect.poll(() => session.trusts(), { interval: 1_000, timeout: 100_000 }).toEqual([]);
      expect((await coe('tenant', 'cluster', 'template', 'delete', 'mine')).code).toBe(0);
    });
  });
});
