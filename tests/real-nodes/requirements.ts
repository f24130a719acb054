import { spawnSync } from 'node:child_process';
import { findExecutable, foldersOnPath } from '@fairway/control-plane/process/executables';
import { missingForHosts } from '../hosts/requirements.ts';
import { TESTBED } from '../hosts/testbed.ts';
import { type TestRelease, testReleases } from '../process-runtime/releases.ts';

/** What tests with real nodes need, if this machine has it. */
export interface RealNodeTools {
  /** Undefined if anything is missing, which the title then lists. */
  readonly offered: TestRelease | undefined;
  readonly kubectl: string;
  /** For a test's name. */
  readonly title: string;
}

export function realNodeTools(): Promise<RealNodeTools> {
  const missingRequirements = missingForHosts();
  return toolsFor([...missingRequirements, ...(missingRequirements.includes('Debian 12') ? [] : missingForTestbed())]);
}

/** Checks the requirements of other kinds of hosts; `missingRequirements` is what this machine lacks for them. */
export async function toolsFor(missingRequirements: readonly string[]): Promise<RealNodeTools> {
  const { offered, old } = await testReleases();
  const kubectl = offered && findExecutable([offered.folder, ...foldersOnPath(process.env)], 'kubectl');
  const missing = [
    ...missingRequirements,
    // Kubelet 1.20 has no GracefulNodeShutdown, reads no containerRuntimeEndpoint from its file, and looks for Docker.
    ...(offered ? [] : [old ? `release of 1.31 or later beside ${old.version}` : 'binaries of Kubernetes']),
    ...(offered && !kubectl ? ['kubectl'] : []),
    ...(offered && !findExecutable([offered.folder], 'kubelet') ? [`kubelet in ${offered.folder}`] : []),
  ];
  if (missing.length > 0) return { offered: undefined, kubectl: '', title: `(skipped: no ${missing.join(', no ')})` };
  return { offered, kubectl: kubectl ?? '', title: `with Kubernetes ${offered?.version}` };
}

/** What the testbed's hosts need and Debian does not have. */
function missingForTestbed(): string[] {
  const { stdout } = spawnSync(TESTBED, ['lacks'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}
