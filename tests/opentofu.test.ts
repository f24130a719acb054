import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CoeSession } from './magnum/coe-session.ts';
import { findTofu, TofuRun } from './magnum/tofu-run.ts';
import { JOB_TARGETS } from './main-job/job-clouds.ts';
import { run } from './session/running-fairway.ts';
import { findKubectls, findOpenStackClient } from './session/tools.ts';

const tofu = findTofu();
const client = findOpenStackClient();
const [kubectl] = findKubectls();
const missing =
  tofu === undefined
    ? ' (skipped: "testbed/clients/testbed build tofu" makes it, where there is Go)'
    : client === undefined
      ? ' (skipped: there is no /usr/bin/openstack)'
      : '';

/** The plan's output when there are no changes. */
const NO_DIFF = 0;
const POLL_OPTIONS = { interval: 1_000, timeout: 400_000 };

/** Pods that each need a separate node: one more pod than existing nodes. */
const ONE_POD_PER_NODE = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'one-a-node' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'one-a-node' } },
    template: {
      metadata: { labels: { app: 'one-a-node' } },
      spec: {
        containers: [
          { name: 'main', image: 'registry.k8s.io/pause:3.10', ports: [{ containerPort: 80, hostPort: 80 }] },
        ],
      },
    },
  },
};

describe.skipIf(missing !== '').each(JOB_TARGETS)(`OpenTofu on $name${missing}`, (target) => {
  describe.skipIf(target.isMissing)('used by a tenant', () => {
    let session: CoeSession;
    let terraform: TofuRun;
    let variables: { template: string; flavor: string; node_count: number };
    let newer: string;

    beforeAll(async () => {
      if (tofu === undefined) return;
      session = await CoeSession.open(target, client ?? '');
      terraform = await TofuRun.in(session, tofu);
      const [older, newest] = await session.newestTemplates();
      newer = newest;
      variables = { template: older, flavor: session.cloud.flavor, node_count: 1 };
    });
    afterAll(() => session?.close());

    /** Uses the tenant's own template. */
    const keepTemplate = (nameserver: string) =>
      terraform.add(
        'own.tf',
        `resource "openstack_containerinfra_clustertemplate_v1" "own" {
          name = "own"
          coe = "kubernetes"
          image = "${session.cloud.image}"
          flavor = var.flavor
          network_driver = "calico"
          docker_volume_size = 10
          dns_nameserver = "${nameserver}"
          labels = { kube_tag = "v${newer.split('-')[1]}", nameserver = "${nameserver}" }
        }`,
      );
    const apply = () => terraform.run(variables, 'apply', '-auto-approve');
    /** The changes that `plan` reports; throws with its message if it fails. */
    const planResult = async () => {
      const { code, stdout, stderr } = await terraform.run(variables, 'plan', '-detailed-exitcode');
      if (code === 1) throw new Error(stderr);
      return { code, stdout };
    };

    test('applies the example, and has nothing left to change', async () => {
      await keepTemplate('192.0.2.53');
      expect(await apply()).toMatchObject({ code: 0, stdout: expect.stringContaining('3 added, 0 changed') });

      expect(await planResult()).toMatchObject({ code: NO_DIFF });
      const groups = await session.json<{ name: string }[]>('tenant', 'coe', 'nodegroup', 'list', 'demo');
      expect(groups.map(({ name }) => name)).toEqual(['default-master', 'default-worker', 'elastic']);
      const nodegroup = await session.json('tenant', 'coe', 'nodegroup', 'show', 'demo', 'elastic');
      expect(nodegroup).toMatchObject({ min_node_count: 1, max_node_count: 3, node_count: 1 });
    });

    const kubeconfig = () => join(session.folder, 'of-tofu');
    const inCluster = (...words: readonly string[]) =>
      run(kubectl?.path ?? '', ['--kubeconfig', kubeconfig(), ...words]);

    test.skipIf(kubectl === undefined)('returns a kubeconfig that works with kubectl', async () => {
      const { stdout } = await terraform.run(variables, 'output', '-raw', 'kubeconfig');
      await writeFile(kubeconfig(), stdout);

      const nodes = await inCluster('get', 'nodes', '-o', 'name');
      expect(nodes).toMatchObject({ code: 0 });
      expect(nodes.stdout.trim().split('\n')).toHaveLength(2);
    });

    test.skipIf(kubectl === undefined)('reports no change for a group scaled by Fairway', async () => {
      await writeFile(join(session.folder, 'one-a-node.json'), JSON.stringify(ONE_POD_PER_NODE));
      expect(await inCluster('create', '-f', join(session.folder, 'one-a-node.json'))).toMatchObject({ code: 0 });
      await expect
        .poll(
          async () => (await session.json('tenant', 'coe', 'nodegroup', 'show', 'demo', 'elastic'))['node_count'],
          POLL_OPTIONS,
        )
        .toBeGreaterThan(1);

      expect(await planResult()).toMatchObject({ code: NO_DIFF });
    });

    test('resizes and upgrades the cluster in one step', async () => {
      variables = { ...variables, template: newer, node_count: 2 };
      await keepTemplate('192.0.2.54');
      expect(await apply()).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('0 added, 2 changed, 0 destroyed'),
      });

      expect(await planResult()).toMatchObject({ code: NO_DIFF });
      const shown = await session.json('tenant', 'coe', 'cluster', 'show', 'demo');
      expect(shown['coe_version']).toMatch(new RegExp(`^v${newer.split('-')[1]?.replace('.', '\\.')}\\.`));
    });

    test('destroys everything', async () => {
      expect(await terraform.run(variables, 'destroy', '-auto-approve')).toMatchObject({ code: 0 });

      expect(await session.json('tenant', 'coe', 'cluster', 'list')).toEqual([]);
      const templates = await session.json<{ name: string }[]>('tenant', 'coe', 'cluster', 'template', 'list');
      expect(templates.map(({ name }) => name)).not.toContain('own');
      await expect.poll(() => session.trusts(), POLL_OPTIONS).toEqual([]);
    });
  });
});
