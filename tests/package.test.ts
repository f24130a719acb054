import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ProcessOutput } from './session/process-output.ts';
import { PROJECT, run } from './session/running-fairway.ts';
import { findKubectls } from './session/tools.ts';

/** Far more than the package's size, but less than the size of a file that does not belong in it. */
const MAX_PACKAGE_BYTES = 4 * 2 ** 20;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** The first kubectl with "create token". */
const CREATE_TOKEN_MINOR = 24;
const tenantTitle = findKubectls().some(({ minor }) => minor >= CREATE_TOKEN_MINOR)
  ? ' by the written steps'
  : ' (skipped of the written steps: no kubectl of 1.24 or later)';

let folder: string;
let packed: Packed;
let fairway: string;
/** As on a machine without the repository: without its Node, and without npm's directories on PATH. */
let environment: Record<string, string>;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-package-')));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder]);
  // npm lists packages by name or in an array, depending on its version.
  [packed] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Record<string, Packed>) as [Packed];
  const prefix = join(folder, 'prefix');
  const options = ['--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=5'];
  const installed = await run('npm', ['install', '-g', ...options, join(folder, packed.filename)]);
  if (installed.code !== 0) throw new Error(`npm install: ${installed.stdout}${installed.stderr}`);
  fairway = join(prefix, 'bin/fairway');
  const path = (process.env['PATH'] ?? '').split(':').filter((entry) => !entry.includes('node_modules'));
  environment = { PATH: path.join(':'), HOME: folder, FAIRWAY_HOME: join(folder, 'home') };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function command(...args: readonly string[]): string {
  return execFileSync(fairway, args, { cwd: folder, env: environment, encoding: 'utf8' });
}

test('the package has its licence, its README, JavaScript and no test files, in at most 4 MiB', () => {
  const paths = packed.files.map(({ path }) => path);

  expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
  expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(paths.filter((path) => /\.ts$|test|fixture|fake|testbed|bench/.test(path))).toEqual([]);
  expect(statSync(join(folder, packed.filename)).size).toBeLessThan(MAX_PACKAGE_BYTES);
});

test('the installed command includes a Node that runs it', () => {
  expect(command('version', '--client')).toMatch(/^Client: fairway \d+\.\d+\.\d+ \(Node v(2[4-9]|[3-9]\d)\./);
});

/** Runs the steps in docs/operators/install.md for the first tenant literally, except for the name of the cloud. */
function signInFirstTenant(kubectl: string): void {
  const guide = readFileSync(join(PROJECT, 'docs/operators/install.md'), 'utf8');
  const section = guide.slice(guide.indexOf('## The first tenant'), guide.indexOf('## How tenants sign in'));
  const [administrator = '', tenant = ''] = [...section.matchAll(/^```\n([^]*?)^```$/gm)].map(([, block]) => block);
  const path = [dirname(kubectl), dirname(fairway), environment['PATH']].join(':');
  const run = (script: string, env: Record<string, string>) =>
    execFileSync('bash', ['-euc', script], {
      cwd: folder,
      env: { ...environment, PATH: path, ...env },
      encoding: 'utf8',
    });
  run(administrator.replace('mycloud', 'simulator'), { KUBECONFIG: join(folder, 'home/kubeconfig') });
  const nodes = run(tenant, {});
  expect(nodes.match(/ Ready /g)).toHaveLength(2);
}

test(`the installed fairway up creates a tenant with a cluster, and stops${tenantTitle}`, async () => {
  const up = spawn(fairway, ['up', '--control-plane', 'simulated', '--listen', '127.0.0.1:0'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(up, 'exit');
  const output = new ProcessOutput(up);
  try {
    await output.waitForOutput((text) => text.includes('kubectl get clusters'), 'fairway up');
    const [, example = ''] = /kubectl apply -f (\S+)/.exec(output.text) ?? [];

    expect(statSync(join(folder, example)).isFile()).toBe(true);
    const kubectl = findKubectls().find(({ minor }) => minor >= CREATE_TOKEN_MINOR);
    if (kubectl !== undefined) signInFirstTenant(kubectl.path);
    command('cluster', 'create', 'demo', '--flavor', 'b3-8', '--nodes', '1');
    expect(command('cluster', 'list')).toMatch(/demo\s+\S+\s+Ready\s+1\/1/);
  } finally {
    up.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
});
