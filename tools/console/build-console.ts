import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { ConsoleIndex } from '@fairway/gateway/console/console-files';
import { build } from 'vite';
import { filesOf, typeOf } from './built-files.ts';
import { scriptsLoadedBefore, type ViteManifest } from './first-view.ts';

export interface BuiltConsole {
  readonly files: number;
  /** Scripts that a browser loads before it shows anything, gzipped. */
  readonly scriptBytes: number;
}

/**
 * Builds the console into its `dist` directory: each file uncompressed or in two compressed forms, and `index.json`,
 * from which the gateway serves them.
 */
export async function buildConsole(folder: string): Promise<BuiltConsole> {
  await build({ configFile: join(folder, 'vite.config.ts') });
  const dist = join(folder, 'dist');
  const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')) as ViteManifest;
  rmSync(join(dist, 'manifest.json'));
  const files = filesOf(dist);
  const index: ConsoleIndex['files'][number][] = [];
  for (const path of files) {
    const { type, isText } = typeOf(path);
    const content = readFileSync(join(dist, path));
    index.push({ path, type, isCompressed: isText, isImmutable: path.startsWith('assets/') });
    if (!isText) continue;
    writeFileSync(join(dist, `${path}.gz`), gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
    writeFileSync(join(dist, `${path}.br`), brotliCompressSync(content));
    rmSync(join(dist, path));
  }
  const scripts = scriptsLoadedBefore(manifest, 'index.html');
  const scriptBytes = scripts.reduce((sum, path) => sum + readFileSync(join(dist, `${path}.gz`)).length, 0);
  const writtenIndex: ConsoleIndex = { files: index, firstScripts: scripts };
  writeFileSync(join(dist, 'index.json'), `${JSON.stringify(writtenIndex)}\n`);
  return { files: index.length, scriptBytes };
}
