import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Nodes } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import type { TestRelease } from '../process-runtime/releases.ts';
import { HostCloud } from '../real-nodes/host-cloud.ts';
import { isKnown, isReady } from '../real-nodes/nodes.ts';
import { writeTenantKubeconfig } from '../real-nodes/tenant-kubeconfig.ts';
import { installTenantNetwork } from '../real-nodes/tenant-network.ts';
import { clientOf } from '../session/client-of.ts';
import { type CommandResult, type RunningFairway, run } from '../session/running-fairway.ts';

const NAME = 'demo';
const NODES = 2;

function manifest(version: string): string {
  return `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: {name: ${NAME}}
spec: {plan: free, version: ${version}, cni: {type: none}}
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: {name: pool}
spec: {clusterName: ${NAME}, flavor: b3-8, replicas: ${NODES}, image: debian-12-containerd}
`;
}

/** A cluster whose two nodes are hosts of the testbed, with the disks that the simulated cloud reports as attached. */
export class MountingCluster implements AsyncDisposable {
  readonly cloud: HostCloud;
  readonly client: KubeClient;
  /** Names of the nodes and of their hosts. */
  readonly nodes: readonly string[];
  readonly #fairway: RunningFairway;
  readonly #kubectl: string;
  readonly #kubeconfig: string;

  private constructor(
    parts: { readonly cloud: HostCloud; readonly fairway: RunningFairway; readonly kubectl: string },
    tenant: { readonly client: KubeClient; readonly nodes: readonly string[]; readonly kubeconfig: string },
  ) {
    this.cloud = parts.cloud;
    this.#fairway = parts.fairway;
    this.#kubectl = parts.kubectl;
    this.client = tenant.client;
    this.nodes = tenant.nodes;
    this.#kubeconfig = tenant.kubeconfig;
  }

  /** Resolves when the nodes are Ready. KUBEBUILDER_ASSETS must be the release's directory. */
  static async start(folder: string, { version }: TestRelease, kubectl: string): Promise<MountingCluster> {
    const cloud = await HostCloud.open(join(folder, 'cloud'));
    let fairway: RunningFairway | undefined;
    try {
      fairway = await cloud.startFairway(join(folder, 'home'));
      const file = join(folder, 'cluster.yaml');
      writeFileSync(file, manifest(version));
      const applied = await run(kubectl, ['--kubeconfig', fairway.kubeconfig, 'apply', '-f', file]);
      if (applied.code !== 0) throw new Error(applied.stderr);
      const kubeconfig = await writeTenantKubeconfig(fairway, NAME, join(folder, 'tenant.kubeconfig'));
      const client = await clientOf(kubeconfig);
      return new MountingCluster({ cloud, fairway, kubectl }, { client, kubeconfig, nodes: await readyNodes(client) });
    } catch (error) {
      process.stderr.write(`${cloud.diagnosis()}\n${fairway?.output}\n`);
      await fairway?.stop();
      await cloud.close();
      throw error;
    }
  }

  kubectl(...args: readonly string[]): Promise<CommandResult> {
    return run(this.#kubectl, ['--kubeconfig', this.#kubeconfig, ...args]);
  }

  /** Runs a command in a pod, and returns its output. */
  async runInPod(name: string, script: string): Promise<string> {
    const { code, stdout, stderr } = await this.kubectl('exec', name, '--', 'sh', '-c', script);
    if (code !== 0) throw new Error(`${script}: ${stderr}`);
    return stdout;
  }

  /** The cluster as Fairway's API shows it. */
  async described(path: string): Promise<string> {
    const flags = ['get', 'cluster', NAME, '-o', `jsonpath=${path}`];
    return (await run(this.#kubectl, ['--kubeconfig', this.#fairway.kubeconfig, ...flags])).stdout;
  }

  delete(): Promise<CommandResult> {
    return run('npx', ['fairway', 'cluster', 'delete', NAME, '--yes'], { KUBECONFIG: this.#fairway.kubeconfig });
  }

  /** Logs for a failure message. */
  async diagnosis(): Promise<string> {
    const plugin = ['-n', 'kube-system', 'logs', '-l', 'app=csi-cinder-nodeplugin', '--all-containers', '--tail=40'];
    const commands = [['describe', 'pods'], ['describe', 'pvc'], ['get', 'pods', '-A'], plugin];
    const outputs = await Promise.all(commands.map((args) => this.kubectl(...args)));
    return [...outputs.map(({ stdout, stderr }) => stdout + stderr), this.cloud.diagnosis(), this.#fairway.output].join(
      '\n',
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    // The control plane's processes would outlive Fairway.
    await this.delete();
    await this.#fairway.stop();
    await this.cloud.close();
  }
}

async function readyNodes(client: KubeClient): Promise<readonly string[]> {
  const nodes = client.resource(Nodes);
  const known = await eventually(nodes, {}, (all) => all.length === NODES && all.every(isKnown));
  await installTenantNetwork(client, known);
  const ready = await eventually(nodes, {}, (all) => all.length === NODES && all.every(isReady));
  return ready.map(({ metadata }) => metadata.name ?? '').toSorted();
}
