import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const CURRENT = join(import.meta.dirname, '../../testbed/kubernetes/current');

/** The release whose tests are run, with its binaries in the same folder. */
export const KUBERNETES = '1.36.3';

/** How to get missing programs. */
export const HOW_TO_BUILD =
  'Kubernetes’ own tests (e2e.test) are not built: "testbed/kubernetes/current build-tests" makes them, and needs Go';

export interface Programs {
  readonly folder: string;
  readonly e2e: string;
  readonly kubectl: string;
}

/** The output of testbed/kubernetes; undefined without the tests. */
export function findPrograms(): Programs | undefined {
  const folder = execFileSync(CURRENT, ['path', KUBERNETES], { encoding: 'utf8' }).trim();
  const programs = { folder, e2e: join(folder, 'e2e.test'), kubectl: join(folder, 'kubectl') };
  return existsSync(programs.e2e) && existsSync(programs.kubectl) ? programs : undefined;
}
