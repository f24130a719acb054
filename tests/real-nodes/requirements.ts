import { spawnSync } from 'node:child_process';
import { findExecutable, foldersOnPath } from '@fairway/control-plane/process/executables';
import { hostsLack } from '../hosts/requirements.ts';
import { TESTBED } from '../hosts/testbed.ts';
import { type TestRelease, testReleases } from '../process-runtime/releases.ts';

/** Requirements of tests with real nodes, if this machine meets them. */
export interface RealNodesTools {
  /** Undefined if anything is missing; the title names it. */
  readonly offered: TestRelease | undefined;
  readonly kubectl: string;
  /** For the name of a test. */
  readonly title: string;
}

export function realNodesNeed(): Promise<RealNodesTools> {
  const lacked = hostsLack();
  return toolsFor([...lacked, ...(lacked.includes('Debian 12') ? [] : whatTestbedLacks())]);
}

/** The same for other kinds of hosts; `lacked`: what those lack. */
export async function toolsFor(lacked: readonly string[]): Promise<RealNodesTools> {
  const { offered, old } = await testReleases();
  const kubectl = offered && findExecutable([offered.folder, ...foldersOnPath(process.env)], 'kubectl');
  const missing = [
    ...lacked,
    // Kubelet 1.20 has no GracefulNodeShutdown, reads no containerRuntimeEndpoint from its file, and looks for Docker.
    ...(offered ? [] : [old ? `release of 1.31 or later beside ${old.version}` : 'binaries of Kubernetes']),
    ...(offered && !kubectl ? ['kubectl'] : []),
    ...(offered && !findExecutable([offered.folder], 'kubelet') ? [`kubelet in ${offered.folder}`] : []),
  ];
  if (missing.length > 0) return { offered: undefined, kubectl: '', title: `(skipped: no ${missing.join(', no ')})` };
  return { offered, kubectl: kubectl ?? '', title: `with Kubernetes ${offered?.version}` };
}

/** Requirements of its hosts that Debian lacks. */
function whatTestbedLacks(): string[] {
  const { stdout } = spawnSync(TESTBED, ['lacks'], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}
