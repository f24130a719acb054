import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SITUATION_LABEL } from '@fairway/controllers/autoscaling/testing/situation-objects';
import { load } from 'js-yaml';
import { z } from 'zod';

/** The binary built by testbed/cluster-autoscaler, or the one in CLUSTER_AUTOSCALER; undefined if there is none. */
export function findClusterAutoscaler(env: NodeJS.ProcessEnv): string | undefined {
  const cache = env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const path = env['CLUSTER_AUTOSCALER'] ?? join(cache, 'fairway/cluster-autoscaler/cluster-autoscaler');
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}

const ConfigSecret = z.object({ stringData: z.record(z.string(), z.string()) });

/** Non-default flags: short intervals, and Fairway's way of selecting pools. */
const FLAGS = [
  '--scan-interval=1s',
  '--scale-down-delay-after-add=5s',
  '--node-delete-delay-after-taint=0s',
  '--unremovable-node-recheck-timeout=5s',
  '--expander=priority,least-waste',
  // A node is Ready a moment before these taints are removed; until then it counts as upcoming, not as unsuitable.
  '--startup-taint=node.kubernetes.io/not-ready',
  '--startup-taint=node.cloudprovider.kubernetes.io/uninitialized',
  '--balance-similar-node-groups',
  // --balancing-ignore-label has no effect with externalgrpc, so the pool's label would make all pools dissimilar.
  '--balancing-label=node.kubernetes.io/instance-type',
  `--balancing-label=${SITUATION_LABEL}`,
];

/** Upstream's cluster-autoscaler in a separate process. */
export class ClusterAutoscaler {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /**
   * Uses the Secret that `fairway cluster autoscaler-config` prints, for the kubeconfig's cluster. Its files and
   * its log stay in `folder`.
   */
  static async start(
    program: string,
    { folder, secret, kubeconfig }: { readonly folder: string; readonly secret: string; readonly kubeconfig: string },
  ): Promise<ClusterAutoscaler> {
    await mkdir(folder, { recursive: true });
    const { stringData } = ConfigSecret.parse(load(secret));
    for (const [name, text] of Object.entries(stringData)) {
      await writeFile(join(folder, name), text.replaceAll('/etc/fairway-autoscaler', folder), { mode: 0o600 });
    }
    const args = [
      '--cloud-provider=externalgrpc',
      `--cloud-config=${join(folder, 'cloud-config.yaml')}`,
      `--kubeconfig=${kubeconfig}`,
      '--leader-elect=false',
      '--address=127.0.0.1:0',
      '--v=4',
      ...FLAGS,
    ];
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const log = createWriteStream(join(folder, 'log'));
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    return new ClusterAutoscaler(child);
  }

  /** Whether the process has exited. */
  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async stop(): Promise<void> {
    if (this.hasExited) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}
