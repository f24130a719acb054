import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FAIRWAY_VERSION } from '@fairway/service/version';
import { writeArchive } from './archive.ts';
import { makeRoot } from './root.ts';

// Writes a container image from the built package and this Debian's libraries: npm run image [-- FILE [NAME:TAG]]
const repository = join(import.meta.dirname, '../..');
const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
const [
  output = `fairway-${FAIRWAY_VERSION}-${architecture}.oci.tar`,
  name = `docker.io/library/fairway:${FAIRWAY_VERSION}`,
] = process.argv.slice(2);
const node = join(repository, `node_modules/node-linux-${process.arch}/bin/node`);
if (!existsSync(node)) throw new Error(`${node} is missing: run "npm ci" first`);

const scratch = mkdtempSync(join(tmpdir(), 'fairway-image-'));
try {
  const root = join(scratch, 'root');
  mkdirSync(root);
  makeRoot({ repository, node, root });
  const digest = writeArchive({ root, scratch, name, version: FAIRWAY_VERSION, architecture, output: resolve(output) });
  const megabytes = (statSync(resolve(output)).size / 1e6).toFixed(1);
  process.stdout.write(`${output}: ${name} ${digest} (${megabytes} MB)\n`);
} finally {
  rmSync(scratch, { recursive: true });
}
