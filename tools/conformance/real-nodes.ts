import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import { Nodes, Pods } from '@fairway/kube/kinds/resources';
import { eventually } from '@fairway/kube/testing/eventually';
import { testbed } from '../../tests/hosts/testbed.ts';
import type { TestRelease } from '../../tests/process-runtime/releases.ts';
import { missingForServices, offer } from '../../tests/real-network/network-images.ts';
import { HostCloud } from '../../tests/real-nodes/host-cloud.ts';
import { isKnown, isReady } from '../../tests/real-nodes/nodes.ts';
import { realNodeTools } from '../../tests/real-nodes/requirements.ts';
import { writeTenantKubeconfig } from '../../tests/real-nodes/tenant-kubeconfig.ts';
import { installTenantNetwork } from '../../tests/real-nodes/tenant-network.ts';
import { missingForPlugin, publishPluginImages } from '../../tests/real-volumes/plugin-images.ts';
import { clientOf } from '../../tests/session/client-of.ts';
import { type RunningFairway, run } from '../../tests/session/running-fairway.ts';
import type { TestedCluster } from './clusters.ts';

const CLUSTER_NAME = 'conformance';
const NODES = 2;
const HOW_TO_BUILD = 'testbed/kubernetes and testbed/cloud-provider-openstack build what is missing';
/** Timeouts for hosts that boot and install packages on a busy machine. */
const BOOT_TIMEOUT = { deadlineMs: 900_000 };

const manifest = (version: string) => `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: {name: ${CLUSTER_NAME}}
spec: {plan: free, version: ${version}, cni: {type: none}}
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: {name: pool}
spec: {clusterName: ${CLUSTER_NAME}, flavor: b3-16, replicas: ${NODES}, image: debian-12}
`;

/**
 * A cluster whose nodes run containers: hosts of testbed/node boot from the user data of a simulated cloud's servers, with a process-based control
 * plane.
 */
export async function openRealNodes(binariesFolder: string): Promise<TestedCluster> {
  process.env['KUBEBUILDER_ASSETS'] = binariesFolder;
  const { offered, kubectl, title } = await realNodeTools();
  if (offered === undefined) throw new Error(`cannot create nodes here ${title}`);
  const missing = [...missingForServices(offered), ...missingForPlugin()];
  if (missing.length > 0) throw new Error(`cannot create nodes here: no ${missing.join(', no ')}; ${HOW_TO_BUILD}`);
  testbed('build');
  testbed('test-images', offered.version);
  publishPluginImages(offered.version);

  const folder = await mkdtemp(join(tmpdir(), 'fairway-conformance-'));
  const cloud = await HostCloud.open(join(folder, 'cloud'));
  let fairway: RunningFairway | undefined;
  const close = async () => {
    // The control plane processes would outlive Fairway.
    if (fairway)
      await run('npx', ['fairway', 'cluster', 'delete', CLUSTER_NAME, '--yes'], { KUBECONFIG: fairway.kubeconfig });
    await fairway?.stop();
    await cloud.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    fairway = await cloud.startFairway(join(folder, 'home'));
    await loadAddonImages(fairway, offered);
    const file = join(folder, 'cluster.yaml');
    await writeFile(file, manifest(offered.version));
    const applied = await run(kubectl, ['--kubeconfig', fairway.kubeconfig, 'apply', '-f', file]);
    if (applied.code !== 0) throw new Error(applied.stderr);
    const kubeconfig = await writeTenantKubeconfig(fairway, CLUSTER_NAME, join(folder, 'kubeconfig'), BOOT_TIMEOUT);
    await waitUntilReady(kubeconfig);
    return { kubeconfig, close };
  } catch (error) {
    process.stderr.write(`${cloud.diagnosis()}\n${fairway?.output}\n`);
    await close();
    throw error;
  }
}

/** Loads images of all add-ons: tests start once everything in kube-system is Ready. */
async function loadAddonImages({ kubeconfig }: RunningFairway, release: TestRelease): Promise<void> {
  const api = await clientOf(kubeconfig);
  try {
    await offer(api, release, 'services', 'metrics');
  } finally {
    api.close();
  }
}

async function waitUntilReady(kubeconfig: string): Promise<void> {
  const client = await clientOf(kubeconfig);
  try {
    const nodes = client.resource<Node>(Nodes);
    const known = await eventually(nodes, {}, (all) => all.length === NODES && all.every(isKnown), BOOT_TIMEOUT);
    await installTenantNetwork(client, known, { ipMasq: true });
    await eventually(nodes, {}, (all) => all.length === NODES && all.every(isReady), BOOT_TIMEOUT);
    // Tests wait for these for a minute before they fail.
    await eventually(
      client.resource<Pod>(Pods),
      { namespace: 'kube-system' },
      (all) => all.every(isReady),
      BOOT_TIMEOUT,
    );
  } finally {
    client.close();
  }
}
