import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const CURRENT = join(import.meta.dirname, '../../testbed/kubernetes/current');

/** The release whose tests are run, with its binaries in the same directory. */
export const KUBERNETES = '1.36.3';

/** Explains how to build missing binaries. */
export const HOW_TO_BUILD =
  'Kubernetes’ own tests (e2e.test) are not built: "testbed/kubernetes/current build-tests" builds them, and requires Go';

export interface TestBinaries {
  readonly folder: string;
  readonly e2e: string;
  readonly kubectl: string;
}

/** The output of testbed/kubernetes; undefined if the tests are missing. */
export function findTestBinaries(): TestBinaries | undefined {
  const folder = execFileSync(CURRENT, ['path', KUBERNETES], { encoding: 'utf8' }).trim();
  const binaries = { folder, e2e: join(folder, 'e2e.test'), kubectl: join(folder, 'kubectl') };
  return existsSync(binaries.e2e) && existsSync(binaries.kubectl) ? binaries : undefined;
}
