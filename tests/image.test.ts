import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { startManagementCluster } from './management/management-cluster.ts';
import { ProcessOutput } from './session/process-output.ts';
import { PROJECT } from './session/running-fairway.ts';

const USER = 65_532;
const missing = [
  ...(process.getuid?.() === 0 ? [] : ['root']),
  ...(existsSync('/etc/debian_version') ? [] : ['Debian']),
  ...(existsSync(`/etc/ssl/certs/ca-certificates.crt`) ? [] : ['ca-certificates']),
];
const title = missing.length === 0 ? '' : ` (skipped: no ${missing.join(', no ')})`;
const binaries = findBinaries().find(({ minor }) => minor >= 31);
const needsServer = binaries
  ? `kube-apiserver ${binaries.version}`
  : 'a kube-apiserver (skipped: none of 1.31 or later)';

interface ImageConfiguration {
  readonly config: { readonly User: string; readonly Entrypoint: readonly string[]; readonly Env: readonly string[] };
}

describe.skipIf(missing.length > 0)(`the container image${title}`, () => {
  let folder: string;
  let root: string;
  let configuration: ImageConfiguration;
  let built: string;
  let writable: string;

  const blob = (digest: string) => join(folder, 'layout/blobs/sha256', digest.replace('sha256:', ''));
  const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairway-image-test-'));
    built = build('image.tar');
    for (const name of ['layout', 'root']) mkdirSync(join(folder, name));
    execFileSync('tar', ['-xf', join(folder, 'image.tar'), '-C', join(folder, 'layout')]);
    const index = readJson(join(folder, 'layout/index.json')) as { manifests: [{ digest: string }] };
    const manifest = readJson(blob(index.manifests[0].digest)) as {
      config: { digest: string };
      layers: [{ digest: string }];
    };
    configuration = readJson(blob(manifest.config.digest)) as ImageConfiguration;
    root = join(folder, 'root');
    execFileSync('tar', ['--numeric-owner', '-xzpf', blob(manifest.layers[0].digest), '-C', root]);
    // Checked before anything runs in the image, because that may write there.
    const conditions = `( -perm /o+w -o -uid ${USER} -o -perm /6000 ) -not -type l`.split(' ');
    writable = execFileSync('find', [root, ...conditions, '-printf', '%P %m %U\\n'], { encoding: 'utf8' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function build(file: string): string {
    const args = ['run', '--silent', 'image', '--', join(folder, file)];
    return execFileSync('npm', args, { cwd: PROJECT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  }

  /** Starts a command as a container runtime would: with the image's user, environment and files only. */
  function commandInImage(...args: readonly string[]): [string, string[], { env: Record<string, string> }] {
    const { Entrypoint, Env } = configuration.config;
    const env = Object.fromEntries(Env.map((pair) => pair.split('=') as [string, string]));
    return ['/usr/sbin/chroot', [`--userspec=${USER}:${USER}`, '--groups=', root, ...Entrypoint, ...args], { env }];
  }

  test('has a non-root user, and includes its own Node', () => {
    const [command, args, options] = commandInImage('version', '--client');
    const { status, stdout } = spawnSync(command, args, { ...options, encoding: 'utf8' });

    expect(configuration.config.User).toBe(`${USER}:${USER}`);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^Client: fairway \d.* \(Node v24\./),
    });
  });

  test('is smaller than 64 MB, and lets its user change only the home and /tmp', () => {
    expect(Number(/\(([0-9.]+) MB\)/.exec(built)?.[1])).toBeLessThan(64);
    expect(
      writable
        .trim()
        .split('\n')
        .sort((a, b) => a.localeCompare(b)),
    ).toEqual(['tmp 1777 0', `var/lib/fairway 700 ${USER}`]);
  });

  test('is reproducible byte for byte', () => {
    build('again.tar');

    expect(spawnSync('cmp', [join(folder, 'image.tar'), join(folder, 'again.tar')]).status).toBe(0);
  });

  test.skipIf(binaries === undefined)(`runs fairway serve on ${needsServer}`, async () => {
    if (binaries === undefined) return;
    await using cluster = await startManagementCluster(binaries);
    const place = join(root, 'var/lib/fairway');
    const kubeconfig = join(place, 'kubeconfig');
    writeFileSync(kubeconfig, readFileSync(cluster.kubeconfigs.controllers));
    chownSync(kubeconfig, USER, USER);
    const settings = {
      management: { kubeconfig: '/var/lib/fairway/kubeconfig' },
      listen: '127.0.0.1:0',
      audit: { path: '-' },
    };
    writeFileSync(join(root, 'etc/fairway/fairway.yaml'), JSON.stringify(settings));
    const [command, args, options] = commandInImage('serve', '--config', '/etc/fairway/fairway.yaml');
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(child, 'exit');
    try {
      await new ProcessOutput(child).waitForOutput(
        (text) => /^ {2}home +\/var\/lib\/fairway\/home$/m.test(text),
        'fairway serve',
      );
      expect(readFileSync(`/proc/${child.pid}/status`, 'utf8')).toMatch(
        new RegExp(`^Uid:\\t${USER}\\t${USER}\\t`, 'm'),
      );
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exited).toEqual([0, null]);
  });
});
