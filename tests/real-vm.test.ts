import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import { Nodes, Pods } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { VM_TESTBED } from './hosts/testbed.ts';
import type { HostCloud } from './real-nodes/host-cloud.ts';
import { HostedFairway } from './real-nodes/hosted-fairway.ts';
import { isKnown, isReady } from './real-nodes/nodes.ts';
import { writeTenantKubeconfig } from './real-nodes/tenant-kubeconfig.ts';
import { BUSYBOX, installTenantNetwork } from './real-nodes/tenant-network.ts';
import { realVmTools } from './real-vm/requirements.ts';
import { clientOf } from './session/client-of.ts';
import { type RunningFairway, run } from './session/running-fairway.ts';

const { offered, kubectl, title } = await realVmTools();

const namespace = 'default';
/** An emulated node on a busy machine may take this long; the timeout only ends hanging tests. */
const BOOT_TIMEOUT_MS = 3_000_000;
const BOOT_WAIT = { deadlineMs: BOOT_TIMEOUT_MS };
const TEST_TIMEOUT_MS = BOOT_TIMEOUT_MS + 600_000;
const MEMORY_LIMIT = '64Mi';

/** The minimum size of a node. It runs next to the hosts of testbed/node, and healing would replace slow nodes. */
const manifest = (version: string) => `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: {name: demo}
spec: {plan: free, version: ${version}, cni: {type: none}, network: {nodesCIDR: 10.1.16.0/20}}
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: {name: pool}
spec: {clusterName: demo, flavor: d2-2, replicas: 1, image: debian-12-containerd, nodeStartupTimeout: 60m, healing: {enabled: false}}
`;

describe.skipIf(offered === undefined)(`a virtual machine that boots from Fairway's user data ${title}`, () => {
  let hosted: HostedFairway;
  let folder: string;
  let cloud: HostCloud;
  let fairway: RunningFairway;
  let tenant: KubeClient;
  let tenantKubeconfig: string;
  let host: string;

  const cli = (...args: readonly string[]) => run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
  const tenantKubectl = (...args: readonly string[]) => run(kubectl, ['--kubeconfig', tenantKubeconfig, ...args]);
  const nodes = () => tenant.resource<Node>(Nodes);
  const pods = () => tenant.resource<Pod>(Pods);

  beforeAll(async () => {
    hosted = await HostedFairway.start(offered, VM_TESTBED);
    ({ folder, cloud, fairway } = hosted);
  });

  afterAll(async () => {
    tenant?.close();
    await hosted?.[Symbol.asyncDispose]();
  });

  function diagnoseFailure(): void {
    onTestFailed(() => void process.stderr.write(`${cloud.diagnosis()}\n${fairway.output}\n`));
  }

  /** Runs a pod that prints its cgroup; resolves when it is ready. */
  async function runPod(name: string): Promise<void> {
    const script = 'cat /proc/self/cgroup; trap exit TERM; tail -f /dev/null & wait';
    await pods().create({
      metadata: { name, namespace },
      spec: {
        // A node that shuts down terminates the pod, and restarts it when the node comes back.
        containers: [
          {
            name: 'main',
            image: BUSYBOX,
            command: ['sh', '-c', script],
            // The add-ons leave little of 2 GiB.
            resources: { requests: { memory: '8Mi' }, limits: { memory: MEMORY_LIMIT } },
          },
        ],
      },
    });
    await eventuallyObject(pods(), { namespace, name }, isReady, BOOT_WAIT);
  }

  async function bootId(): Promise<string | undefined> {
    return (await nodes().get(host)).status?.nodeInfo?.bootID;
  }

  async function waitForReboot(before: string | undefined): Promise<void> {
    const isReinstalled = (node: Node) => isReady(node) && node.status?.nodeInfo?.bootID !== before;
    await eventuallyObject(nodes(), { name: host }, isReinstalled, BOOT_WAIT);
  }

  test('joins with its own kernel and cgroup v2', { timeout: TEST_TIMEOUT_MS }, async () => {
    diagnoseFailure();
    const file = join(folder, 'cluster.yaml');
    await writeFile(file, manifest(offered?.version ?? ''));
    const applied = await run(kubectl, ['--kubeconfig', fairway.kubeconfig, 'apply', '-f', file]);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    tenantKubeconfig = await writeTenantKubeconfig(fairway, 'demo', join(folder, 'tenant.kubeconfig'), BOOT_WAIT);
    tenant = await clientOf(tenantKubeconfig);
    const [node] = await eventually(nodes(), {}, (all) => all.length === 1 && all.every(isKnown), BOOT_WAIT);
    host = node?.metadata.name ?? '';

    expect(cloud.hosts()).toEqual([host]);
    expect(node?.status?.nodeInfo).toMatchObject({
      kernelVersion: expect.stringMatching(/^6\.1\..*-cloud-amd64$/),
      osImage: expect.stringMatching(/^Debian GNU\/Linux 12/),
      kubeletVersion: `v${offered?.version}`,
      containerRuntimeVersion: expect.stringMatching(/^containerd:\/\/1\.6\./),
    });
    const cgroups = await cloud.on(host, 'stat', '-f', '-c', '%T', '/sys/fs/cgroup');
    expect(cgroups).toMatchObject({ code: 0, stdout: 'cgroup2fs\n' });
    expect((await cloud.on(host, 'lsmod')).stdout).toMatch(
      /^br_netfilter(.|\n)*^overlay|^overlay(.|\n)*^br_netfilter/m,
    );
  });

  test('reads the user data from Fairway with cloud-init, as on OpenStack, without an error', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    diagnoseFailure();
    const { stdout } = await cloud.on(host, 'cat', '/var/lib/cloud/instance/user-data.txt');
    expect(stdout).toBe(await cloud.userDataOf(host));
    expect(await cloud.on(host, 'cloud-init', 'status', '--wait', '--long')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/status: done(.|\n)*DataSourceConfigDrive/),
    });
    expect((await cloud.on(host, 'systemctl', '--failed', '--no-legend', '--plain')).stdout).toBe('');
  });

  test('runs a pod in a cgroup v2, within its limit', { timeout: TEST_TIMEOUT_MS }, async () => {
    diagnoseFailure();
    await installTenantNetwork(tenant, (await nodes().list()).items);
    await eventuallyObject(nodes(), { name: host }, isReady, BOOT_WAIT);
    await runPod('talker');

    expect(await tenantKubectl('logs', 'talker')).toMatchObject({ code: 0, stdout: '0::/\n' });
    const limit = await tenantKubectl('exec', 'talker', '--', 'cat', '/sys/fs/cgroup/memory.max');
    expect(limit).toMatchObject({ code: 0, stdout: `${64 * 2 ** 20}\n` });
  });

  test('returns after a reboot, and accepts pods', { timeout: TEST_TIMEOUT_MS }, async () => {
    diagnoseFailure();
    const before = await bootId();
    await cloud.on(host, 'systemctl', 'reboot');
    await waitForReboot(before);

    const message = 'Pod was terminated in response to imminent node shutdown.';
    expect((await pods().get('talker', { namespace })).status).toMatchObject({ reason: 'Terminated', message });
    await runPod('after-reboot');
  });

  test('returns after a power cut, and runs its pods again', { timeout: TEST_TIMEOUT_MS }, async () => {
    diagnoseFailure();
    const before = await bootId();
    const containerOf = (pod: Pod) => pod.status?.containerStatuses?.[0]?.containerID;
    const lost = containerOf(await pods().get('after-reboot', { namespace }));
    cloud.reset(host);
    await waitForReboot(before);

    // Unwritten data of the guest is lost, possibly including the restart count.
    const isRestarted = (pod: Pod) => isReady(pod) && containerOf(pod) !== lost;
    const pod = await eventuallyObject(pods(), { namespace, name: 'after-reboot' }, isRestarted, BOOT_WAIT);
    expect(pod.spec?.nodeName).toBe(host);
    await runPod('after-power-cut');
  });

  test('stops when its server is deleted', { timeout: TEST_TIMEOUT_MS }, async () => {
    diagnoseFailure();
    expect(await cli('cluster', 'delete', 'demo', '--yes')).toMatchObject({ code: 0 });

    expect(await cloud.waitForHosts()).toEqual([]);
    expect(cloud.leftoverProcesses()).not.toMatch(/demo-pool/);
  });
});
