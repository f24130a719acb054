import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningFairway, run } from '../../tests/session/running-fairway.ts';
import type { ClusterKind } from './results.ts';

/** A tenant's cluster for tests only. */
export interface TestedCluster {
  readonly kubeconfig: string;
  close(): Promise<void>;
}

const NODES = 3;
const FLAVOR = 'b3-16';

/**
 * A tenant's cluster in a separate Fairway installation: its control plane is simulated or runs Kubernetes' own
 * binaries. Nodes are hollow.
 */
export async function openCluster(kind: Exclude<ClusterKind, 'nodes'>, binariesFolder: string): Promise<TestedCluster> {
  if (kind === 'process' && !existsSync(join(binariesFolder, 'kube-apiserver'))) {
    throw new Error(`${binariesFolder} has no kube-apiserver: "testbed/kubernetes/current build" builds it`);
  }
  process.env['KUBEBUILDER_ASSETS'] = binariesFolder;
  const folder = await mkdtemp(join(tmpdir(), 'fairway-conformance-'));
  const runtime = kind === 'process' ? 'process' : 'simulated';
  const options = ['--listen', '127.0.0.1:0', '--control-plane', runtime];
  const fairway = await RunningFairway.start(join(folder, 'home'), ...options);
  const close = async () => {
    await fairway.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const cli = async (...args: readonly string[]) => {
      const output = await run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
      if (output.code !== 0) throw new Error(`fairway ${args.join(' ')}: ${output.stderr}`);
      return output.stdout;
    };
    await cli('cluster', 'create', 'conformance', '--flavor', FLAVOR, '--nodes', String(NODES));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, await cli('kubeconfig', 'conformance'), { mode: 0o600 });
    return { kubeconfig, close };
  } catch (error) {
    await close();
    throw error;
  }
}
