#!/usr/bin/env node
// Plain JavaScript that any Node can parse: it finds a Node that runs TypeScript (24 or later) and hands over to it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MIN_NODE_MAJOR = 24;
const here = dirname(fileURLToPath(import.meta.url));
const main = join(here, '..', 'src', 'main.ts');

function bundledNode() {
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve(`node-${process.platform}-${process.arch}/package.json`);
    const binary = join(dirname(manifest), 'bin', 'node');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

if (Number.parseInt(process.versions.node, 10) >= MIN_NODE_MAJOR) {
  await import(main);
} else {
  const node = bundledNode();
  if (node === undefined) {
    process.stderr.write(
      `fairway needs Node ${MIN_NODE_MAJOR} or later and found ${process.version}. Run "npm ci" in Fairway's folder, or install Node ${MIN_NODE_MAJOR}.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));
}
