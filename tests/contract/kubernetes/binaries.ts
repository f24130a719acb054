import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { findExecutable, foldersOnPath } from '@fairway/control-plane/process/executables';
import { testbedBinaries } from '@fairway/control-plane/process/testing/testbed-binaries';

/** The binaries of one Kubernetes release. */
export interface KubernetesBinaries {
  readonly folder: string;
  /** `1.36.3`. */
  readonly version: string;
  /** The minor version: 36 for 1.36. */
  readonly minor: number;
  path(program: Program): string;
}

export type Program = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler';

const CONTROL_PLANE: readonly Program[] = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** Every release with a complete control plane, from KUBEBUILDER_ASSETS or PATH and from testbed/kubernetes. */
export function findBinaries(): KubernetesBinaries[] {
  const assets = process.env.KUBEBUILDER_ASSETS;
  const users = assets === undefined ? foldersOnPath(process.env) : [assets];
  const found = [users.find(isComplete), [testbedBinaries(process.env)].find(isComplete)].filter(
    (folder) => folder !== undefined,
  );
  return [...new Set(found)].map(describeFolder);
}

function isComplete(folder: string): boolean {
  return CONTROL_PLANE.every((program) => findExecutable([folder], program) !== undefined);
}

function describeFolder(folder: string): KubernetesBinaries {
  const output = execFileSync(join(folder, 'kube-apiserver'), ['--version'], { encoding: 'utf8' });
  const match = /v((\d+)\.(\d+)\.\d+)/.exec(output);
  if (match === null) throw new Error(`${folder}/kube-apiserver --version says ${output.trim()}`);
  return { folder, version: match[1] ?? '', minor: Number(match[3]), path: (program) => join(folder, program) };
}
