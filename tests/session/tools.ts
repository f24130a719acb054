import { findExecutable, foldersOnPath } from '@fairway/control-plane/process/executables';
import { ASSETS_VARIABLE } from '@fairway/control-plane/process/find-binaries';
import { minorOf } from '@fairway/kube/testing/kubectl';
import { findProgram } from '../clients/client-binaries.ts';

export interface Tool {
  readonly path: string;
  /** For a test's name. */
  readonly version: string;
}

export interface Kubectl extends Tool {
  /** The minor version: 36 for 1.36. */
  readonly minor: number;
}

/** The kubectl on PATH, and the one next to the real API server's binaries in KUBEBUILDER_ASSETS, if available. */
export function findKubectls(): readonly Kubectl[] {
  const { env } = process;
  const found = [foldersOnPath(env), [env[ASSETS_VARIABLE] ?? '']].map((folders) => findExecutable(folders, 'kubectl'));
  return [...new Set(found)].flatMap((path) => {
    if (path === undefined) return [];
    const minor = minorOf(path);
    return minor === undefined ? [] : [{ path, version: `1.${minor}`, minor }];
  });
}

/** The distribution's client, which must not pick up another Python on PATH. */
export function findOpenStackClient(): string | undefined {
  return findExecutable(['/usr/bin'], 'openstack');
}

/** The same client, if it has the `coe` commands, which are in a separate package. */
export function findCoeClient(): string | undefined {
  return findExecutable(['/usr/bin'], 'magnum') && findOpenStackClient();
}

/** Helm from HELM_BIN, from PATH, or from testbed/clients. */
export function findHelm(): string | undefined {
  const { env } = process;
  return env['HELM_BIN'] ?? findExecutable(foldersOnPath(env), 'helm') ?? findProgram('helm')?.path;
}
