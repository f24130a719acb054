import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../session/running-fairway.ts';
import { runWithInput } from './testbed.ts';

/**
 * Packs this checkout, and installs the package below /usr/local on a host, like `npm install -g`. The host's Node is
 * the one in the package.
 */
export async function installFairway(host: string, folder: string): Promise<void> {
  const prefix = join(folder, 'prefix');
  mkdirSync(prefix);
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder]);
  const { filename } = Object.values(JSON.parse(packed.stdout.slice(packed.stdout.search(/^[[{]/m))))[0] as {
    filename: string;
  };
  const options = ['--prefix', prefix, '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=5'];
  const installed = await run('npm', ['install', '-g', ...options, join(folder, filename)]);
  if (installed.code !== 0) throw new Error(`npm install: ${installed.stdout}${installed.stderr}`);
  copyFolder(host, prefix, ['.'], '/usr/local');
  const node = `/usr/local/lib/node_modules/fairway/node_modules/node-linux-${process.arch}/bin/node`;
  runWithInput(host, 0, 'ln', '-s', node, '/usr/local/bin/node');
}

/** Copies files from a directory on this machine to a directory on a host, owned by root. */
export function copyFolder(host: string, folder: string, files: readonly string[], target: string): void {
  const scratchFolder = mkdtempSync(join(tmpdir(), 'fairway-give-'));
  const archive = join(scratchFolder, 'archive.tar');
  execFileSync('tar', ['-cf', archive, '-C', folder, ...files]);
  runWithInput(host, 0, 'install', '-d', target);
  const file = openSync(archive, 'r');
  runWithInput(host, file, 'tar', '-x', '--no-same-owner', '-C', target);
  closeSync(file);
  rmSync(scratchFolder, { recursive: true });
}
