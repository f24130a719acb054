import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { findExecutable } from '@fairway/control-plane/process/executables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasKubectl, Kubectl } from '../clients/kubectl.ts';
import { CommandSession, MANIFEST_CLUSTER } from '../commands/command-session.ts';

/** Runs a command in its own terminal. */
const script = findExecutable(['/usr/bin'], 'script');

let session: CommandSession;
beforeAll(async () => {
  session = await CommandSession.start();
});
afterAll(() => session.stop());

describe('commands that write', () => {
  test('deletes an unusable credential, in Keystone too once its owner has signed in there', async () => {
    const create = (more: readonly string[]) =>
      session.run(['credential', 'create', 'mine', '--cloud', 'simulator', ...more]);
    const remove = (cloud: string) => session.run(['credential', 'delete', 'mine', '--cloud', cloud]);

    expect(await create(['--fairway-cloud', 'elsewhere'])).toMatchObject({ code: 1 });
    expect(await create([])).toMatchObject({ code: 1, stderr: expect.stringContaining('"fairway-default-mine"') });
    expect(await remove('nowhere')).toMatchObject({ code: 2, stderr: expect.stringContaining('no cloud "nowhere"') });
    expect(await session.run(['credential', 'get', 'mine'])).toMatchObject({ code: 0 });
    expect(await remove('simulator')).toMatchObject({ code: 0 });
    expect(await create([])).toMatchObject({ code: 0 });
    expect(await remove('simulator')).toMatchObject({ code: 0 });
  });

  test('checks all objects of a file together in a dry run without storing any', async () => {
    const pool = (name: string) => `---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: { name: ${name} }
spec: { clusterName: both, flavor: b3-8, replicas: 60 }
`;
    const file = MANIFEST_CLUSTER.replace('filed', 'both') + pool('one') + pool('two');
    const result = await session.run(['cluster', 'create', '-f', '-', '--dry-run'], file);

    expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(/NodePool.* "two" is invalid.*100 nodes/) });
    expect(await session.run(['cluster', 'get', 'both'])).toMatchObject({ code: 1 });
  });

  test('does not create a cluster if its pool is refused, and completes what an earlier run left unfinished', async () => {
    const createOptions = ['--plan', 'free', '--nodes', '1', '--no-wait'];
    const refused = await session.run(['cluster', 'create', 'half', '--flavor', 'b3-9', ...createOptions]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('b3-8') });
    expect(await session.run(['cluster', 'get', 'half'])).toMatchObject({ code: 1 });

    await session.run(['cluster', 'create', 'half', '--plan', 'free', '--no-wait']);
    const completed = await session.run(['cluster', 'create', 'half', '--flavor', 'b3-8', ...createOptions]);
    const repeated = await session.run(['cluster', 'create', 'half', '--flavor', 'b3-8', ...createOptions]);

    expect(completed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/half unchanged\n.*half-general created\n/),
    });
    expect(repeated).toMatchObject({ code: 1, stderr: expect.stringMatching(/already exists\n.*cluster wait half/) });
  });

  test.skipIf(!hasKubectl).each(['yaml', 'json'])(
    'makes cluster create print %s that kubectl can apply',
    async (form) => {
      const name = `printed-${form}`;
      const args = [
        'cluster',
        'create',
        name,
        '--flavor',
        'b3-8',
        '--plan',
        'free',
        '--nodes',
        '1',
        '--dry-run',
        '-o',
        form,
      ];
      const { stdout } = await session.run(args);
      const file = join(session.folder, `${name}.${form}`);
      writeFileSync(file, stdout);
      const applied = await new Kubectl(session.home.kubeconfig).run('apply', '-f', file);

      expect(applied).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/cluster.*created\nnodepool.*created\n/),
      });
      expect(await session.run(['nodepool', 'get', `${name}-general`])).toMatchObject({ code: 0 });
    },
  );

  test('refuses a snapshot of a simulated control plane, and leaves nothing behind', async () => {
    await session.run(['cluster', 'create', 'simulated', '--plan', 'free', '--timeout', '5m']);
    const result = await session.run(['cluster', 'snapshot', 'simulated']);

    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('do not store snapshots'),
    });
    const { spec } = await session.client.resource(clusters).get('simulated', { namespace: 'default' });
    expect(spec.etcd).toBeUndefined();
  });

  test('includes events of pools and machines in a cluster’s events', async () => {
    const createOptions = ['--flavor', 'b3-8', '--nodes', '1', '--plan', 'free', '--timeout', '5m'];
    await session.run(['cluster', 'create', 'told', ...createOptions]);
    const { stdout } = await session.run(['cluster', 'events', 'told']);
    const [heading, ...rows] = stdout.trimEnd().split('\n');

    expect(heading).toMatch(/^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE$/);
    for (const row of rows) expect(row).toMatch(/^(\d+[smhd])+ /);
    expect((await session.run(['nodepool', 'events', 'told-general'])).stdout).not.toContain('cluster/told ');
    for (const kind of ['cluster/told ', 'machine/told-general-']) {
      expect(rows.join('\n')).toContain(kind);
    }
    expect(stdout).not.toContain('/simulated');
  });

  test('reports the changes of scaling, upgrading and deleting in a dry run without making them', async () => {
    const createOptions = [
      '--flavor',
      'b3-8',
      '--nodes',
      '1',
      '--plan',
      'free',
      '--version',
      '1.35',
      '--timeout',
      '5m',
    ];
    await session.run(['cluster', 'create', 'dry', ...createOptions]);
    const stored = async () => (await session.run(['pool', 'get', 'dry-general', '-o', 'json'])).stdout;
    const before = await stored();

    const scale = await session.run(['cluster', 'scale', 'dry', '--nodes', '2', '--dry-run']);
    const overQuota = await session.run(['pool', 'scale', 'dry-general', '--nodes', '200', '--dry-run']);
    const upgrade = await session.run(['cluster', 'upgrade', 'dry', '--to', '1.36', '--dry-run']);
    const remove = await session.run(['cluster', 'delete', 'dry', '--dry-run']);

    expect(scale).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/2 \(server dry run\)\n  spec\.replicas: 1 -> 2\n/),
    });
    expect(overQuota).toMatchObject({ code: 1, stderr: expect.stringContaining('maxReplicas') });
    expect(upgrade).toMatchObject({ code: 0, stdout: expect.stringContaining('  spec.version: 1.35 -> 1.36\n') });
    expect(remove.stdout).toMatch(
      /dry deleted \(server dry run\)\n  nodepool\.\S+dry-general is deleted too\n  machine\./,
    );
    expect(await stored()).toBe(before);
  });

  test.each([
    ['cluster', 'reset', 'planned'],
    ['cluster', 'maintain', 'planned'],
    ['cluster', 'hibernate', 'planned'],
    ['cluster', 'wake', 'planned'],
    ['cluster', 'pause', 'planned'],
    ['cluster', 'revoke-credentials', 'planned'],
    ['cluster', 'rotate-credentials', 'planned'],
    ['cluster', 'update', 'planned', '--update-policy', 'NeverUpdate'],
    ['nodepool', 'pause', 'planned-general'],
    ['nodepool', 'update', 'planned-general', '--labels', 'tier=web'],
    ['nodepool', 'delete', 'planned-general'],
  ])('does not ask for confirmation in a dry run of %s %s, and changes nothing', async (...args) => {
    const createOptions = ['--flavor', 'b3-8', '--nodes', '0', '--plan', 'free', '--no-wait'];
    await session.run(['cluster', 'create', 'planned', ...createOptions]);
    const stored = async () => {
      const { spec, metadata } = await session.client.resource(clusters).get('planned', { namespace: 'default' });
      const pool = await session.client.resource(nodePools).get('planned-general', { namespace: 'default' });
      return [spec, metadata.annotations, pool.spec, pool.metadata.annotations, pool.metadata.deletionTimestamp];
    };
    const before = await stored();

    const result = await session.run([...args, '--dry-run']);

    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('(server dry run)') });
    expect(await stored()).toEqual(before);
  });

  test.skipIf(script === undefined).each([
    { key: '\x03', name: 'Ctrl-C', code: 130 },
    { key: '\x04', name: 'Ctrl-D', code: 1 },
    { key: 'n\r', name: 'no', code: 1 },
  ])('exits with $code for $name at the confirmation prompt, and does nothing', async ({ key, code }) => {
    await session.run(['cluster', 'create', 'asked', '--plan', 'free', '--no-wait']);
    const terminal = spawn(script ?? '', ['-qec', 'npx fairway cluster delete asked', '/dev/null'], {
      env: { ...process.env, KUBECONFIG: session.home.kubeconfig },
    });
    const ended = Promise.withResolvers<number | null>();
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => {
      const isRequested = shown.includes('[y/N]');
      shown += chunk.toString();
      if (!isRequested && shown.includes('[y/N]')) terminal.stdin.write(key);
    });
    terminal.on('close', (status) => ended.resolve(status));

    expect(await ended.promise).toBe(code);
    expect(shown).toContain('Delete cluster "asked"');
    const { metadata } = await session.client.resource(clusters).get('asked', { namespace: 'default' });
    expect(metadata.deletionTimestamp).toBeUndefined();
  });
});
