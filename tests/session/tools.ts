import { execFileSync } from 'node:child_process';
import { findExecutable, foldersOnPath } from '@fairway/control-plane/process/executables';
import { ASSETS_VARIABLE } from '@fairway/control-plane/process/find-binaries';

export interface Tool {
  readonly path: string;
  /** For the name of a test. */
  readonly version: string;
}

/** The kubectl of PATH and the one that KUBEBUILDER_ASSETS has beside a real API server's binaries, where they are at hand. */
export function findKubectls(): readonly Tool[] {
  const { env } = process;
  const found = [foldersOnPath(env), [env[ASSETS_VARIABLE] ?? '']].map((folders) => findExecutable(folders, 'kubectl'));
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
  return findExecutable(['/usr/bin'], 'openstack');
}
