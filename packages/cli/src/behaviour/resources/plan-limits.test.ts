import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type PlanSpec, plans } from '@fairway/api/kinds/plan';
import { aPlan } from '@fairway/api/testing/objects';
import { TEAM, TestGateway } from '@fairway/gateway/testing/test-gateway';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { RoleBindings, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runWith } from '../../command/run-program.ts';
import { fakeContext } from '../../testing/fake-context.ts';

const LIMITED: Partial<PlanSpec> = {
  kubernetes: { newest: '1.35' },
  limitNotes: [
    {
      limit: 'kubernetes',
      value: '',
      enforcement: 'Refuse',
      reason: 'newer versions are not certified yet',
      alternative: 'use 1.35',
      link: 'https://example.org/limits',
    },
  ],
};
const WARNING: Partial<PlanSpec> = {
  kubernetes: { newest: '1.35' },
  limitNotes: [{ limit: 'kubernetes', value: '', enforcement: 'Warn', reason: 'newer versions are not certified yet' }],
};
const NOTE = 'Newer versions are not certified yet. Use 1.35. See https://example.org/limits';

describe('limits of plans on the command line', () => {
  let gateway: TestGateway;
  let folder: string;
  beforeAll(async () => {
    gateway = await TestGateway.start();
    await gateway.populate();
    await publishReleases();
    const operator = gateway.as('operator');
    await operator.resource(plans).create(aPlan(LIMITED, { name: 'limited' }));
    await operator.resource(plans).create(aPlan(WARNING, { name: 'warning' }));
    folder = await mkdtemp(join(tmpdir(), 'fairway-plan-limits-'));
    const { url: server, certificateAuthority } = await gateway.gateway.address();
    const token = await memberToken();
    const contents = { name: 'demo', server, certificateAuthority, namespace: TEAM, token };
    await writeFile(join(folder, 'kubeconfig'), renderKubeconfig(contents));
  });
  afterAll(async () => {
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  /** Makes the releases available regardless of the date, as a controller would. */
  async function publishReleases() {
    const resource = gateway.gateway.client.resource(kubernetesReleases);
    for (const { metadata, spec } of (await resource.list()).items) {
      const available = spec.patches.map(({ version }) => version);
      const status = { newest: available.at(-1), available, phase: 'Supported' };
      const name = metadata.name ?? '';
      await resource.patch(name, { type: 'merge', value: { spec: { phaseOverride: 'Supported' } } });
      await resource.patch(name, { type: 'merge', value: { status } }, { subresource: 'status' });
    }
  }

  /** The token of a service account that is a member of the team. */
  async function memberToken() {
    const operator = gateway.as('operator');
    await operator.resource(ServiceAccounts).create({ metadata: { name: 'robot', namespace: TEAM } });
    await operator.resource(RoleBindings).create({
      metadata: { name: 'robot', namespace: TEAM },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-member' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: TEAM }],
    });
    const path = `/api/v1/namespaces/${TEAM}/serviceaccounts/robot/token`;
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { body } = await gateway.call('operator', 'POST', path, request);
    return (body as { status: { token: string } }).status.token;
  }

  async function fairway(...args: string[]) {
    const context = fakeContext({ env: { KUBECONFIG: join(folder, 'kubeconfig') } });
    const code = await runWith(args, context);
    return { code, ...context.written };
  }

  async function versions(...args: string[]) {
    const { stdout } = await fairway('versions', '-o', 'json', ...args);
    return JSON.parse(stdout) as readonly { name: string; allowed?: boolean; limit?: string }[];
  }

  test('creating a cluster with a newer version is refused, with the note', async () => {
    const { code, stderr } = await fairway('cluster', 'create', 'newer', '--plan', 'limited', '--version', '1.36');

    expect(code).toBe(1);
    expect(stderr).toContain('is newer than 1.35, the newest version of plan "limited"');
    expect(stderr).toContain(NOTE);
  });

  test('a limit that only warns is printed once, and the cluster is created', async () => {
    const args = ['cluster', 'create', 'warned', '--plan', 'warning', '--version', '1.36', '--no-wait'];
    const { code, stdout, stderr } = await fairway(...args);

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'cluster.fairway.dev/warned created\n' });
    const warnings = stderr.split('\n').filter((line) => line.startsWith('Warning: '));
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Warning: spec\.version: 1\.36\.\d+ is newer than 1\.35, the newest version of plan "warning"\. Newer versions are not certified yet$/,
      ),
    ]);
  });

  test('the versions of a plan are those that it allows; the others are shown with the note on request', async () => {
    const [shown, all] = [await versions('--plan', 'limited'), await versions('--plan', 'limited', '--all')];

    expect(shown[0]).toMatchObject({ name: '1.35', allowed: true });
    expect(all.find(({ name }) => name === '1.36')).toMatchObject({
      allowed: false,
      limit: expect.stringContaining(NOTE),
    });
    expect((await versions()).map(({ name }) => name)).toContain('1.36');
    expect((await fairway('versions', '--plan', 'limited', '--all')).stdout).toMatch(/ALLOWED +LIMIT\n/);
    expect(await fairway('versions', '--plan', 'gold')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no plan "gold"'),
    });
  });

  test('completion suggests what the plan allows', async () => {
    const completions = async (...words: string[]) =>
      (await fairway('__complete', 'cluster', ...words)).stdout.trim().split('\n');

    expect(await completions('create', 'x', '--plan', 'limited', '--version', '1.3')).not.toContain('1.36');
    expect(await completions('create', 'x', '--plan', 'limited', '--version', '1.3')).toContain('1.35');
    expect(await completions('create', 'x', '--version', '1.3')).toContain('1.36');
    expect(await completions('create', 'x', '--version', '1.36', '--plan', '')).not.toContain('limited');
    expect(await completions('create', 'x', '--version', '1.35', '--plan', '')).toContain('limited');
  });

  test('completion suggests the upgrades of a cluster, and the versions of its plan for a reset', async () => {
    await gateway.createCluster('existing', { plan: 'limited', version: '1.34' });
    const value = { status: { nextUpgradeVersions: ['1.35'], availablePatch: '1.34.9' } };
    await gateway.gateway.client
      .resource(clusters)
      .patch('existing', { type: 'merge', value }, { namespace: TEAM, subresource: 'status' });

    expect((await fairway('__complete', 'cluster', 'upgrade', 'existing', '--to', '')).stdout).toBe('1.34.9\n1.35\n');
    expect((await fairway('__complete', 'cluster', 'upgrade', 'none', '--to', '')).stdout).toBe('');
    const { stdout } = await fairway('__complete', 'cluster', 'reset', 'existing', '--version', '');
    expect(stdout.split('\n')).toContain('1.35');
    expect(stdout.split('\n')).not.toContain('1.36');
  });
});
