import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Tool {
  readonly path: string;
  /** For the name of a test. */
  readonly version: string;
}

/** The kubectl of PATH and the one that KUBEBUILDER_ASSETS has beside a real API server's binaries, where they are at hand. */
export function findKubectls(): readonly Tool[] {
  const { PATH = '', KUBEBUILDER_ASSETS = '' } = process.env;
  const found = [firstIn(PATH.split(delimiter), 'kubectl'), firstIn([KUBEBUILDER_ASSETS], 'kubectl')];
  return [...new Set(found)].flatMap((path) => {
    if (path === undefined) return [];
    const version = /GitVersion:"?(v[\w.+-]+)|Client Version: (v[\w.+-]+)/.exec(
      execFileSync(path, ['version', '--client'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    return [{ path, version: version?.[1] ?? version?.[2] ?? 'of unknown version' }];
  });
}

/** The distribution's client, which must not meet another Python on PATH. */
export function findOpenStackClient(): string | undefined {
  return firstIn(['/usr/bin'], 'openstack');
}

function firstIn(folders: readonly string[], name: string): string | undefined {
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
