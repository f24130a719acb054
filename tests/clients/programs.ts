import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const TESTBED = new URL('../../testbed/clients/testbed', import.meta.url).pathname;

/** A program of testbed/clients. */
export interface ClientProgram {
  readonly path: string;
  readonly version: string;
}

/** Undefined unless it has been built. */
export function findClient(client: 'helm'): ClientProgram | undefined {
  const folder = execFileSync(TESTBED, ['path', client], { encoding: 'utf8' }).trim();
  const path = join(folder, 'bin', client);
  return existsSync(path) ? { path, version: folder.slice(folder.lastIndexOf('-') + 1) } : undefined;
}
