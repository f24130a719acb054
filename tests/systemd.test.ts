import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPONENTS } from '@fairway/control-plane/process/components';
import { findExecutable, foldersOnPath } from '@fairway/control-plane/process/executables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BootedHost } from './hosts/booted-host.ts';
import { copyFolder, installFairway } from './hosts/installed-fairway.ts';
import { missingForHosts } from './hosts/requirements.ts';
import { testReleases } from './process-runtime/releases.ts';
import type { ProcessOutput } from './session/process-output.ts';
import { type CommandResult, PROJECT } from './session/running-fairway.ts';

const analyze = findExecutable(foldersOnPath(process.env), 'systemd-analyze') ?? '';
const title = analyze === '' ? ' (skipped: no systemd-analyze)' : '';
const missingRequirements = missingForHosts();
const { offered } = await testReleases();
const programs = offered
  ? `programs of Kubernetes ${offered.version}`
  : 'programs of Kubernetes (skipped: none of 1.31 or later)';
const hostTitle = missingRequirements.length === 0 ? '' : ` (skipped: no ${missingRequirements.join(', no ')})`;
/** On a scale of 0 to 100. systemd rates services below 25 as protected; a service without any protection scores 96. */
const MAX_EXPOSURE = 20;

describe.skipIf(analyze === '')(`the systemd unit${title}`, () => {
  let folder: string;
  let unit: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'fairway-unit-'));
    unit = join(folder, 'fairway.service');
    // The command's path on a machine where Fairway is installed.
    const text = readFileSync(join(PROJECT, 'deploy/systemd/fairway.service'), 'utf8');
    writeFileSync(unit, text.replaceAll('/usr/local/bin/fairway', '/bin/true'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('can be adapted for several tenants with the drop-in file next to it', () => {
    const dropIn = join(folder, 'fairway.service.d');
    mkdirSync(dropIn);
    copyFileSync(join(PROJECT, 'deploy/systemd/fairway.service.d/tenants.conf'), join(dropIn, 'tenants.conf'));
    const { status, stdout, stderr } = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' });
    rmSync(dropIn, { recursive: true });

    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('has no line that systemd does not support', () => {
    const { status, stdout, stderr } = spawnSync(analyze, ['verify', unit], { encoding: 'utf8' });

    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('gives Fairway only the privileges that it needs', () => {
    const args = ['security', '--offline=true', `--threshold=${MAX_EXPOSURE}`, '--no-pager', unit];
    const { status, stdout } = spawnSync(analyze, args, { encoding: 'utf8' });

    expect(stdout).toMatch(/Overall exposure level for fairway\.service: [0-9.]+ OK/);
    expect(status).toBe(0);
  });
});

describe.skipIf(missingRequirements.length > 0)(`the systemd unit on Debian${hostTitle}`, () => {
  let folder: string;
  let host: BootedHost;
  let journal: ProcessOutput;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairway-systemd-'));
    host = await BootedHost.boot(folder);
    await installFairway(host.name, folder);
  });
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const property = (name: string) => host.property('fairway', name);
  const systemctl = (...args: readonly string[]) => host.run('systemctl', ...args);
  const fairway = (...args: readonly string[]) =>
    host.run('env', 'KUBECONFIG=/var/lib/fairway/home/kubeconfig', 'fairway', ...args);

  const timesServed = (text: string) => text.split('kubectl get clusters').length - 1;
  const timesFailed = (text: string) => text.split("Failed with result 'exit-code'").length - 1;
  /** Runs `act`, and resolves once Fairway has reported again that it serves requests. */
  async function waitUntilServed(act: () => Promise<CommandResult>): Promise<void> {
    const before = timesServed(journal.text);
    expect(await act()).toMatchObject({ code: 0 });
    await journal.waitForOutput((text) => timesServed(text) > before || timesFailed(text) > 0, 'journalctl');
    expect(timesFailed(journal.text)).toBe(0);
  }

  /** Checks that Fairway still manages the earlier cluster, rather than only listing it. */
  async function expectScaled(nodes: number): Promise<void> {
    const scaled = await fairway('nodepool', 'scale', 'demo', '--nodes', `${nodes}`);
    expect(scaled).toMatchObject({ code: 0 });
    // The command waits only for the pool; the cluster's status is updated a moment later.
    const listed = async () => (await fairway('cluster', 'list')).stdout;
    await expect.poll(listed).toMatch(new RegExp(`^demo\\s+\\S+\\s+Ready\\s+${nodes}/${nodes}`, 'm'));
  }

  /** The commands of docs/operators/install.md, without the commands for a real cloud and for addresses. */
  function documentedSteps(): string {
    const guide = readFileSync(join(PROJECT, 'docs/operators/install.md'), 'utf8');
    const section = guide.slice(guide.indexOf('## One machine'));
    const [, steps = ''] = /^```\n([^]*?)^```$/m.exec(section) ?? [];
    return steps
      .replace(/^cloud:\n.*\n/m, '')
      .replace('fairway.example.com', host.address)
      .replace('10.0.0.5', host.address)
      .replace('"$(npm root -g)"', '/usr/local/lib/node_modules');
  }

  test('starts with the documented steps as an unprivileged user, and has a cluster', async () => {
    journal = host.journal('fairway');
    const passwords = `printf 'clouds: {}\\n' >clouds.yaml`;
    await waitUntilServed(() => host.script(`cd /root; ${passwords}\n${documentedSteps()}`));

    const pid = await property('MainPID');
    const { stdout } = await host.run('grep', '-E', '^(Uid|CapEff|NoNewPrivs):', `/proc/${pid}/status`);
    expect(stdout).toMatch(/^Uid:\t(6[1-5]\d{3})\t\1\t\1\t\1\nCapEff:\t0{16}\nNoNewPrivs:\t1$/m);
    expect(
      await fairway('cluster', 'create', 'demo', '--pool', 'demo', '--flavor', 'b3-8', '--nodes', '1'),
    ).toMatchObject({ code: 0 });
    await expectScaled(2);
  });

  test('restarts when it is killed', async () => {
    await waitUntilServed(() => systemctl('kill', '--kill-whom=main', '--signal=KILL', 'fairway'));

    expect(await property('NRestarts')).toBe('1');
    await expectScaled(3);
  });

  test('restarts and stops gracefully, and leaves no process behind', async () => {
    await waitUntilServed(() => systemctl('restart', 'fairway'));
    await expectScaled(2);
    const cgroup = await property('ControlGroup');

    expect(await systemctl('stop', 'fairway')).toMatchObject({ code: 0 });
    expect([await property('Result'), await property('ActiveState')]).toEqual(['success', 'inactive']);
    expect(await property('ExecMainStatus')).toBe('0');
    expect((await host.script(`cat /sys/fs/cgroup/*${cgroup}/cgroup.procs 2>/dev/null || true`)).stdout).toBe('');
  });

  test('runs as root with few privileges if tenants.conf specifies it, and keeps its state', async () => {
    const dropIn = '/usr/local/lib/node_modules/fairway/dist/deploy/systemd/fairway.service.d/tenants.conf';
    await host.script(
      `install -D ${dropIn} /etc/systemd/system/fairway.service.d/tenants.conf; systemctl daemon-reload`,
    );
    await waitUntilServed(() => systemctl('restart', 'fairway'));

    const pid = await property('MainPID');
    const { stdout } = await host.run('grep', '-E', '^(Uid|CapEff):', `/proc/${pid}/status`);
    // chown, dac_override, fowner, kill, setgid, setuid, setpcap
    expect(stdout).toBe('Uid:\t0\t0\t0\t0\nCapEff:\t00000000000001eb\n');
    await expectScaled(1);
  });

  test.skipIf(offered === undefined)(`runs ${programs} as separate users`, async () => {
    const home = '/var/lib/fairway/processes';
    const environment = `KUBEBUILDER_ASSETS=/opt/kubernetes\nFAIRWAY_HOME=${home}\n`;
    copyFolder(host.name, offered?.folder ?? '', COMPONENTS, '/opt/kubernetes');
    await host.script(`printf '${environment}' >/etc/fairway/environment`);
    await waitUntilServed(() => systemctl('restart', 'fairway'));
    const create = ['fairway', 'cluster', 'create', 'real', '--pool', 'real', '--flavor', 'b3-8', '--nodes', '1'];

    expect(await host.run('env', `KUBECONFIG=${home}/kubeconfig`, ...create)).toMatchObject({ code: 0 });
    const users = 'for name in etcd kube-apiserver; do ps -o uid= -p $(pidof $name); done';
    expect((await host.script(users)).stdout).toMatch(/^ *(19\d{8})\n *\1\n$/);
    // After a kill, Fairway finds that systemd has also killed the control plane's processes, and restarts them.
    await waitUntilServed(() => systemctl('kill', '--kill-whom=main', '--signal=KILL', 'fairway'));
    const scale = ['fairway', 'nodepool', 'scale', 'real', '--nodes', '2'];
    expect(await host.run('env', `KUBECONFIG=${home}/kubeconfig`, ...scale)).toMatchObject({ code: 0 });

    await systemctl('stop', 'fairway');
    expect((await host.script('pidof etcd kube-apiserver || true')).stdout).toBe('');
    await host.script('rm /etc/fairway/environment');
  });

  test('does not start with an invalid file, and reports the wrong key', async () => {
    await systemctl('stop', 'fairway');
    await host.script('echo "lisen: x" >>/etc/fairway/fairway.yaml');

    expect(await systemctl('start', 'fairway')).toMatchObject({ code: 1 });
    await systemctl('stop', 'fairway');
    // Another process follows the journal, and may lag behind.
    await journal.waitForOutput((text) => /\/etc\/fairway\/fairway\.yaml.*lisen/.test(text), 'journalctl');
  });
});
