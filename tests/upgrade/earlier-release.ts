import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '@fairway/kube/object/meta';

const PROJECT = join(import.meta.dirname, '../..');
const FIXTURES = join(PROJECT, 'tests/fixtures/releases');

/** State left by an earlier release (see tests/fixtures/releases/make.ts). */
export interface EarlierRelease {
  readonly version: string;
  readonly objects: readonly KubeObject[];
  /** The objects that the release's `fairway install` writes. */
  readonly installed: readonly KubeObject[];
  /** Unpacks the release's home below a directory; returns its path. */
  unpackHome(folder: string): string;
  /** Whether the release's source is in this repository's history; a plain copy of the files has no history. */
  readonly hasSource: boolean;
}

export function earlierRelease(version: string): EarlierRelease {
  const folder = join(FIXTURES, version);
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as readonly KubeObject[];
  return {
    version,
    objects: read('objects.json'),
    installed: read('install.json'),
    unpackHome(below) {
      execFileSync('tar', ['-xzf', join(folder, 'home.tar.gz'), '-C', below]);
      return join(below, 'home');
    },
    hasSource: isInHistory(commitOf(version)),
  };
}

function commitOf(version: string): string {
  return readFileSync(join(FIXTURES, version, 'commit'), 'utf8').trim();
}

function isInHistory(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: PROJECT, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The source of an earlier release, with the packages installed here. `entry` is its command. */
export interface Checkout extends Disposable {
  readonly entry: string;
}

export function checkOut(version: string): Checkout {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-earlier-'));
  const archive = execFileSync('git', ['archive', commitOf(version)], { cwd: PROJECT, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@fairway'), { recursive: true });
  for (const name of readdirSync(join(PROJECT, 'node_modules'))) {
    if (name !== '@fairway') symlinkSync(join(PROJECT, 'node_modules', name), join(modules, name));
  }
  for (const name of readdirSync(join(folder, 'packages'))) {
    symlinkSync(join(folder, 'packages', name), join(modules, '@fairway', name));
  }
  return {
    entry: join(folder, 'packages/cli/src/main.ts'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
