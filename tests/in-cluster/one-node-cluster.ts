import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Node } from '@fairway/kube/kinds/generated/types';
import { Nodes } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import type { TestRelease } from '../process-runtime/releases.ts';
import { HostCloud } from '../real-nodes/host-cloud.ts';
import { isKnown, isReady } from '../real-nodes/nodes.ts';
import { writeTenantKubeconfig } from '../real-nodes/tenant-kubeconfig.ts';
import { installTenantNetwork } from '../real-nodes/tenant-network.ts';
import { clientOf } from '../session/client-of.ts';
import { type CommandResult, type RunningFairway, run } from '../session/running-fairway.ts';
import { joinNetworks, serveServices } from './services.ts';

const NAME = 'management';
/** Uses the `free` plan, because by default Fairway keeps its API servers from reaching private addresses. */
const RANGES = ['10.2.0.0/16', '10.3.0.0/16'];

function manifest(version: string): string {
  return `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: {name: ${NAME}}
spec:
  plan: free
  version: ${version}
  cni: {type: none}
  # The image is not in a registry.
  apiServer: {admissionPlugins: {disabled: [AlwaysPullImages]}}
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: {name: ${NAME}}
spec: {clusterName: ${NAME}, flavor: b3-8, replicas: 1, image: debian-12-containerd}
`;
}

/**
 * A management cluster that runs pods, created by a Fairway, with a process-based control plane and one node from
 * testbed/node. This machine can reach its pods' addresses, as a kubeadm control plane can.
 */
export class OneNodeCluster implements AsyncDisposable {
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** Name of the node and of its host. */
  readonly node: string;
  readonly #cloud: HostCloud;
  readonly #fairway: RunningFairway;
  readonly #kubectl: string;

  private constructor(
    parts: { readonly cloud: HostCloud; readonly fairway: RunningFairway; readonly kubectl: string },
    { kubeconfig, client, node }: Pick<OneNodeCluster, 'kubeconfig' | 'client' | 'node'>,
  ) {
    this.#cloud = parts.cloud;
    this.#fairway = parts.fairway;
    this.#kubectl = parts.kubectl;
    this.kubeconfig = kubeconfig;
    this.client = client;
    this.node = node;
  }

  /** Resolves when the node is Ready. KUBEBUILDER_ASSETS must be the release's directory. */
  static async start(folder: string, { version }: TestRelease, kubectl: string): Promise<OneNodeCluster> {
    const cloud = await HostCloud.open(join(folder, 'cloud'));
    let fairway: RunningFairway | undefined;
    try {
      const egress = RANGES.flatMap((range) => ['--egress-allow', range]);
      fairway = await cloud.startFairway(join(folder, 'home'), ...egress);
      const access = await createCluster(folder, version, { kubectl, fairway });
      return new OneNodeCluster({ cloud, fairway, kubectl }, access);
    } catch (error) {
      process.stderr.write(`${cloud.diagnosis()}\n${fairway?.output}\n`);
      await fairway?.stop();
      await cloud.close();
      throw error;
    }
  }

  kubectl(...args: readonly string[]): Promise<CommandResult> {
    return run(this.#kubectl, ['--kubeconfig', this.kubeconfig, ...args]);
  }

  /** Runs kubectl against the Fairway that created the cluster. */
  fairwayKubectl(...args: readonly string[]): Promise<CommandResult> {
    return run(this.#kubectl, ['--kubeconfig', this.#fairway.kubeconfig, ...args]);
  }

  /** Runs a command on the node. */
  runOnNode(...command: readonly string[]): Promise<CommandResult> {
    return this.#cloud.on(this.node, ...command);
  }

  /** Points existing Services at their current pods, for pods and for this machine. */
  serveServices(): Promise<void> {
    return serveServices(this.client, (...command) => this.runOnNode(...command));
  }

  /** Logs for a failure message. */
  async diagnosis(namespace = 'fairway-system', workload = 'deployment/fairway'): Promise<string> {
    const diagnostics = ['describe pods', `logs ${workload} --tail=50`, 'get events'].map((what) =>
      this.kubectl('--namespace', namespace, ...what.split(' ')),
    );
    const outputs = await Promise.all(diagnostics);
    return [...outputs.map(({ stdout, stderr }) => stdout + stderr), this.#cloud.diagnosis()].join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    // The control plane's processes would outlive Fairway.
    await run('npx', ['fairway', 'cluster', 'delete', NAME, '--yes'], { KUBECONFIG: this.#fairway.kubeconfig });
    await this.#fairway.stop();
    await this.#cloud.close();
  }
}

async function createCluster(
  folder: string,
  version: string,
  { kubectl, fairway }: { readonly kubectl: string; readonly fairway: RunningFairway },
): Promise<Pick<OneNodeCluster, 'kubeconfig' | 'client' | 'node'>> {
  const file = join(folder, 'management.yaml');
  writeFileSync(file, manifest(version));
  const applied = await run(kubectl, ['--kubeconfig', fairway.kubeconfig, 'apply', '-f', file]);
  if (applied.code !== 0) throw new Error(applied.stderr);
  const kubeconfig = await writeTenantKubeconfig(fairway, NAME, join(folder, 'management.kubeconfig'));
  const client = await clientOf(kubeconfig);
  const nodes = client.resource<Node>(Nodes);
  const known = await eventually(nodes, {}, (all) => all.length === 1 && all.every(isKnown));
  await installTenantNetwork(client, known);
  const [node] = await eventually(nodes, {}, (all) => all.every(isReady));
  if (node === undefined) throw new Error('the node has gone');
  await joinNetworks(node, RANGES);
  return { kubeconfig, client, node: node.metadata.name ?? '' };
}
