import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kubectlTooOld } from '@fairway/kube/testing/kubectl';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cloudContent } from '../session/cloud-content.ts';
import { type CommandResult, RunningFairway, run, start } from '../session/running-fairway.ts';
import { findKubectls, findOpenStackClient } from '../session/tools.ts';

const kubectls = findKubectls();
const NO_KUBECTL = { path: '', version: '(skipped: there is none on PATH)', minor: 0 };
const openstackClient = findOpenStackClient();
describe.skipIf(kubectls.length === 0).each(kubectls.length > 0 ? kubectls : [NO_KUBECTL])(
  'a session with kubectl $version',
  ({ path, minor }) => {
    let folder: string;
    let fairway: RunningFairway;
    let emptyCloud: Awaited<ReturnType<typeof cloudContent>>;
    let url: string;

    const kubectl = (...args: readonly string[]) => run(path, args, { KUBECONFIG: fairway.kubeconfig });
    const tenant = (...args: readonly string[]) =>
      run(path, ['--kubeconfig', join(folder, 'demo.kubeconfig'), ...args]);
    const cli = (...args: readonly string[]) => run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'fairway-session-'));
      fairway = await RunningFairway.start(join(folder, 'home'), '--listen', '127.0.0.1:0');
      url = fairway.url;
      emptyCloud = await cloudContent(fairway.cloudsYaml);
    });
    afterAll(async () => {
      await fairway?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('fairway up prints its address and the commands to use next', () => {
      expect(fairway.output).toContain(`kubeconfig  ${fairway.kubeconfig}`);
      expect(fairway.output).toContain(`export KUBECONFIG=${fairway.kubeconfig}`);
      expect(fairway.output).toContain('kubectl apply -f examples/cluster.yaml');
      expect(fairway.output).toContain('openstack --os-cloud simulator server list');
      expect(fairway.output).toContain(`user demo, password in ${join(fairway.home, 'demo-password')}`);
    });

    test('the kubeconfig’s namespace is the project in which demo signs in', async () => {
      const env = { KUBECONFIG: fairway.kubeconfig, OS_CLIENT_CONFIG_FILE: fairway.cloudsYaml, HOME: folder };
      const signedIn = await run('npx', ['fairway', 'kubeconfig', '--exec', '--cloud', 'simulator'], env);

      expect(fairway.namespace).toMatch(/^[0-9a-f]{32}$/);
      expect(signedIn.stdout).toContain(`namespace: ${fairway.namespace}\n`);
      const password = await readFile(join(fairway.home, 'demo-password'), 'utf8');
      expect(await readFile(fairway.cloudsYaml, 'utf8')).toContain(`password: "${password.trim()}"`);
      expect(fairway.output).not.toContain(password.trim());
    });

    test('an unknown kind does not require turning validation off', async () => {
      const file = join(folder, 'misspelt.yaml');
      await writeFile(file, 'apiVersion: fairway.dev/v1alpha1\nkind: Clusters\nmetadata: {name: x}\nspec: {}\n');
      const { code, stderr } = await kubectl('apply', '-f', file);

      expect(code).toBe(1);
      expect(stderr).toContain('no matches for kind "Clusters" in version "fairway.dev/v1alpha1"');
      expect(stderr).not.toContain('validate=false');
    });

    test('a second fairway on the same home, or on the same port, reports what to do', async () => {
      const [sameHome, samePort] = await Promise.all([
        cli('up', '--home', fairway.home),
        cli('up', '--home', join(folder, 'other'), '--listen', url.replace('https://', '')),
      ]);

      expect(sameHome).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/another fairway process \(\d+\) uses/),
      });
      expect(samePort).toMatchObject({ code: 2, stderr: expect.stringContaining('--listen') });
      expect(existsSync(join(folder, 'other')), 'something is left').toBe(false);
    });

    const enums = kubectlTooOld(27, minor);
    test.skipIf(enums.isTooOld)(`kubectl explains the kinds${enums.reason}`, async () => {
      const { stdout } = await kubectl('explain', 'cluster.spec');
      const taints = await kubectl('explain', 'nodepool.spec.template.spec.taints.effect');

      expect(stdout).toMatch(/KIND: +Cluster/);
      expect(stdout).toMatch(/plan\s+<string>/);
      expect(taints.stdout).toMatch(/ENUM:\s+NoSchedule/);
    });

    test('a server-side dry run creates nothing', async () => {
      const good = await kubectl('apply', '--dry-run=server', '-f', 'examples/zones.yaml');
      const bad = await kubectlWithInput(kubectl, folder, {
        apiVersion: 'fairway.dev/v1alpha1',
        kind: 'Cluster',
        metadata: { name: 'bad' },
        spec: { plan: 'fre', version: '1.12' },
      });
      const clusters = await kubectl('get', 'clusters');

      expect(good).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('cluster.fairway.dev/spread created (server dry run)'),
      });
      expect(bad.code).toBe(1);
      expect(bad.stderr).toMatch(/spec\.plan: Not found: "fre".*free/);
      expect(clusters.stderr).toContain('No resources found');
    });

    test('a cluster in YAML becomes Ready nodes', async () => {
      const applied = await kubectl('apply', '-f', 'examples/cluster.yaml');
      const watch = start(path, ['get', 'cluster', 'demo', '-w', '--output-watch-events'], {
        KUBECONFIG: fairway.kubeconfig,
      });
      const waited = await kubectl('wait', '--for=condition=Ready', 'cluster/demo', '--timeout=5m');
      const { stdout: listed } = await kubectl('get', 'clusters,nodepools,machines');
      watch.stop();

      expect(applied.stdout).toBe(
        'cluster.fairway.dev/demo created\nnodepool.fairway.dev/demo-general created\nnodepool.fairway.dev/demo-memory created\n',
      );
      expect(waited).toMatchObject({ code: 0, stdout: 'cluster.fairway.dev/demo condition met\n' });
      expect(listed).toMatch(/NAME +VERSION +PHASE +READY +OPERATION +PLAN +AGE +MESSAGE/);
      expect(listed).toMatch(/cluster\.fairway\.dev\/demo +1\.\d+\.\d+ +Ready +4\/4 +free/);
      expect(listed).toMatch(/nodepool\.fairway\.dev\/demo-general +demo +b3-8 +1\.\d+\.\d+ +Ready +3\/3/);
      expect(listed.match(/machine\.fairway\.dev\/demo-\S+ +demo-(general|memory) +Ready/g)).toHaveLength(4);
      expect((await watch.result).stdout).toMatch(
        /EVENT +NAME +VERSION +PHASE[^]*ADDED +demo[^]*MODIFIED +demo[^]*Ready/,
      );
    });

    test('nodes have a flavor, zone, region, addresses and a providerID', async () => {
      const issued = await cli('kubeconfig', 'demo');
      await writeFile(join(folder, 'demo.kubeconfig'), issued.stdout);
      const { stdout } = await tenant('get', 'nodes', '-o', 'json');
      const { items } = JSON.parse(stdout) as { items: { metadata: object; spec: object; status: object }[] };

      expect(items).toHaveLength(4);
      for (const node of items) {
        expect(node).toMatchObject({
          metadata: {
            labels: {
              'node.kubernetes.io/instance-type': expect.stringMatching(/^(b3-8|r3-128)$/),
              'topology.kubernetes.io/zone': expect.stringMatching(/^nova-[abc]$/),
              'topology.kubernetes.io/region': 'RegionOne',
            },
          },
          spec: { providerID: expect.stringMatching(/^openstack:\/\/RegionOne\/[0-9a-f-]{36}$/) },
          status: {
            addresses: expect.arrayContaining([{ type: 'InternalIP', address: expect.stringMatching(/^10\.1\./) }]),
            conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'True' })]),
          },
        });
      }
    });

    test('pods run on the nodes', async () => {
      await tenant('create', 'deployment', 'web', '--image=nginx', '--replicas=6');
      const rollout = await tenant('rollout', 'status', 'deployment/web', '--timeout=5m');
      const { stdout } = await tenant('get', 'pods', '--field-selector=status.phase=Running', '-o', 'name');

      expect(rollout).toMatchObject({ code: 0, stdout: expect.stringContaining('successfully rolled out') });
      expect(stdout.trim().split('\n')).toHaveLength(6);
    });

    test('diff, patch, server-side apply and describe work as on any cluster', async () => {
      const fourNodes = { apiVersion: 'fairway.dev/v1alpha1', kind: 'NodePool', metadata: { name: 'demo-general' } };
      const file = join(folder, 'general.json');
      await writeFile(
        file,
        JSON.stringify({ ...fourNodes, spec: { clusterName: 'demo', flavor: 'b3-8', replicas: 4 } }),
      );
      const diff = await kubectl('diff', '-f', file);
      const labelled = await kubectl(
        'patch',
        'cluster',
        'demo',
        '--type=merge',
        '-p',
        '{"metadata":{"labels":{"team":"a"}}}',
      );
      const immutable = await kubectl(
        'patch',
        'nodepool',
        'demo-general',
        '--type=merge',
        '-p',
        '{"spec":{"antiAffinity":true}}',
      );
      const conflict = await kubectl('apply', '--server-side', '--field-manager=other', '-f', file);
      const forced = await kubectl('apply', '--server-side', '--force-conflicts', '--dry-run=server', '-f', file);
      const description = await kubectl('describe', 'cluster', 'demo');

      expect(diff.code).toBe(1);
      expect(diff.stdout).toMatch(/^-\s+replicas: 3\n\+\s+replicas: 4$/m);
      expect(labelled.stdout).toBe('cluster.fairway.dev/demo patched\n');
      expect(immutable.stderr).toContain('spec.antiAffinity: Forbidden: cannot be changed after creation: it is false');
      expect(conflict.stderr).toMatch(/conflict with "kubectl-client-side-apply".*\.spec\.replicas/);
      expect(forced.stdout).toBe('nodepool.fairway.dev/demo-general serverside-applied (server dry run)\n');
      expect(description.stdout).toMatch(/Events:[^]*Normal +Ready/);
    });

    test.skipIf(openstackClient === undefined)(
      'the openstack command shows what was created (skipped without it)',
      async () => {
        const env = { OS_CLIENT_CONFIG_FILE: fairway.cloudsYaml, PATH: `/usr/bin:${process.env['PATH']}` };
        const { stdout } = await run(
          openstackClient ?? '',
          ['--os-cloud', 'simulator', 'server', 'list', '-f', 'json'],
          env,
        );

        const servers = JSON.parse(stdout) as { Name: string; Status: string }[];
        expect(servers.map(({ Name }) => Name.replace(/-[^-]+$/, '')).sort()).toEqual([
          'demo-general',
          'demo-general',
          'demo-general',
          'demo-memory',
        ]);
        expect(new Set(servers.map(({ Status }) => Status))).toEqual(new Set(['ACTIVE']));
      },
    );

    test('a killed Fairway serves requests again after a restart, and loses nothing', async () => {
      const { stdout: before } = await tenant('get', 'nodes,pods', '-o', 'name');
      await fairway.kill();
      fairway = await RunningFairway.start(fairway.home, '--listen', url.replace('https://', ''));
      const waited = await kubectl('wait', '--for=condition=Ready', 'cluster/demo', '--timeout=5m');

      // The README promises 3 s; a busy machine may need longer.
      process.stdout.write(`served again ${fairway.startSeconds} s after it started\n`);
      // Fairway serves requests before its control planes are running again.
      await expect.poll(async () => (await tenant('get', 'nodes,pods', '-o', 'name')).stdout).toBe(before);
      expect(waited.code).toBe(0);
    });

    const paths = kubectlTooOld(23, minor);
    test.skipIf(paths.isTooOld)(`a pool is scaled, and a deleted machine is replaced${paths.reason}`, async () => {
      const [machine = ''] = (
        await kubectl('get', 'machines', '-l', 'fairway.dev/node-pool=demo-general', '-o', 'name')
      ).stdout.split('\n');
      await kubectl('scale', 'nodepool/demo-general', '--replicas=5');
      const deleted = await kubectl('delete', machine, '--timeout=5m');
      const waited = await kubectl(
        'wait',
        '--for=jsonpath={.status.readySummary}=5/5',
        'nodepool/demo-general',
        '--timeout=5m',
      );
      const { stdout: nodes } = await tenant('get', 'nodes', '-o', 'name');

      expect(deleted.code).toBe(0);
      expect(waited.code).toBe(0);
      expect(nodes.trim().split('\n')).toHaveLength(6);
      expect(nodes).not.toContain(machine.split('/')[1]);
    });

    test('fairway shows progress and errors line by line', async () => {
      const scaled = await cli('nodepool', 'scale', 'demo-general', '--nodes', '2');
      const refused = await cli('nodepool', 'create', 'more', '--cluster', 'demo', '--flavor', 'b3-9');
      const missing = await cli('cluster', 'get', 'nope');
      const listed = await cli('cluster', 'list', '-o', 'wide');
      const wideOutput = await kubectl('get', 'clusters', '-o', 'wide');

      expect(scaled).toMatchObject({ code: 0, stdout: 'nodepool.fairway.dev/demo-general scaled to 2\n' });
      expect(scaled.stderr).toContain('pool demo-general: done, 2/2 nodes are ready');
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('spec.flavor: Not found: "b3-9"') });
      const advice = '  "fairway cluster list" lists those in this namespace; choose another namespace with -n\n';
      expect(missing).toEqual({
        code: 1,
        stdout: '',
        stderr: `error: clusters.fairway.dev "nope" not found\n${advice}`,
      });
      expect(withoutAge(listed)).toBe(withoutAge(wideOutput));
    });

    test('a deleted cluster leaves nothing behind', async () => {
      const deleted = await kubectl('delete', 'cluster/demo', '--timeout=5m');
      const { stdout: remaining } = await kubectl('get', 'clusters,nodepools,machines,secrets', '-A', '-o', 'name');

      expect(deleted).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^cluster\.fairway\.dev "demo" deleted/),
      });
      expect(remaining).not.toMatch(/demo/);
      expect(await cloudContent(fairway.cloudsYaml)).toEqual(emptyCloud);
    });

    test('Ctrl-C stops Fairway gracefully', async () => {
      await fairway.stop();

      expect(fairway.output).toMatch(/stopping[^]*stopped/);
    });
  },
);

/** Applies one object from a file, as a dry run. */
async function kubectlWithInput(
  kubectl: (...args: readonly string[]) => Promise<CommandResult>,
  folder: string,
  object: object,
): Promise<CommandResult> {
  const file = join(folder, 'object.json');
  await writeFile(file, JSON.stringify(object));
  return kubectl('apply', '--dry-run=server', '-f', file);
}

function withoutAge({ stdout }: CommandResult): string {
  return stdout.replace(/\s+\d+m?\d*s?(?=\s)/g, '');
}
