import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeReserved } from '@fairway/api/domain/reserved-resources';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { findCondition } from '@fairway/kube/controller/conditions';
import type { CertificateSigningRequest, Node, Pod } from '@fairway/kube/kinds/generated/types';
import { CertificateSigningRequests, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { addQuantities, compareQuantities, parseQuantity, subtractQuantities } from '@fairway/kube/object/quantity';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import type { HostCloud } from './real-nodes/host-cloud.ts';
import { HostedFairway } from './real-nodes/hosted-fairway.ts';
import { clusterManifest } from './real-nodes/manifest.ts';
import { isKnown, isReady, isServing } from './real-nodes/nodes.ts';
import { realNodeTools } from './real-nodes/requirements.ts';
import { BUSYBOX, installTenantNetwork } from './real-nodes/tenant-network.ts';
import { clientOf } from './session/client-of.ts';
import { type RunningFairway, run } from './session/running-fairway.ts';

const { offered, kubectl, title } = await realNodeTools();

const namespace = 'default';
/** For waiting on hosts that boot and install packages. */
const BOOT_WAIT = { deadlineMs: 240_000 };
/** Kubelet's hard memory threshold in our user data. */
const EVICTION = '100Mi';
const MEMORY_LIMIT = '64Mi';
const ZERO = parseQuantity(0);

describe.skipIf(offered === undefined)(`nodes that boot from Fairway's user data ${title}`, () => {
  let hosted: HostedFairway;
  let folder: string;
  let cloud: HostCloud;
  let fairway: RunningFairway;
  let api: KubeClient;
  let tenant: KubeClient;
  let tenantKubeconfig: string;

  const cli = (...args: readonly string[]) => run('npx', ['fairway', ...args], { KUBECONFIG: fairway.kubeconfig });
  const tenantKubectl = (...args: readonly string[]) => run(kubectl, ['--kubeconfig', tenantKubeconfig, ...args]);
  const pods = () => tenant.resource<Pod>(Pods);

  beforeAll(async () => {
    hosted = await HostedFairway.start(offered);
    ({ folder, cloud, fairway, api } = hosted);
  });

  afterAll(async () => {
    tenant?.close();
    await hosted?.[Symbol.asyncDispose]();
  });

  function diagnoseFailure(): void {
    onTestFailed(() => void process.stderr.write(`${cloud.diagnosis()}\n${fairway.output}\n`));
  }

  /** Runs a single-container pod on a node; resolves when it is ready. */
  async function runPod(name: string, nodeName: string, script: string): Promise<Pod> {
    await pods().create({
      metadata: { name, namespace },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': nodeName },
        containers: [
          {
            name: 'main',
            image: BUSYBOX,
            command: ['sh', '-c', script],
            resources: { limits: { memory: MEMORY_LIMIT } },
          },
        ],
      },
    });
    return eventuallyObject(pods(), { namespace, name }, isReady);
  }

  test('join with their bootstrap tokens, one for each server, even after a power cut', async () => {
    diagnoseFailure();
    const manifest = join(folder, 'cluster.yaml');
    await writeFile(manifest, clusterManifest(offered?.version ?? ''));

    expect(await run(kubectl, ['--kubeconfig', fairway.kubeconfig, 'apply', '-f', manifest])).toMatchObject({
      code: 0,
    });
    const powerCut = cloud.cutPowerDuringBoot('demo-pool-2');
    await eventuallyObject(
      api.resource(clusters),
      { namespace, name: 'demo' },
      ({ status }) => status?.endpoint !== undefined,
    );
    tenantKubeconfig = join(folder, 'tenant.kubeconfig');
    await eventuallyObject(
      api.resource(clusters),
      { namespace, name: 'demo' },
      ({ status }) => findCondition(status?.conditions, 'ControlPlaneReady')?.status === 'True',
    );
    const { code, stdout, stderr } = await cli('kubeconfig', 'demo');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    await writeFile(tenantKubeconfig, stdout);
    tenant = await clientOf(tenantKubeconfig);
    const interrupted = await powerCut;
    const nodes = await eventually(
      tenant.resource<Node>(Nodes),
      {},
      (all) => all.length === 2 && all.every(isKnown),
      BOOT_WAIT,
    );

    expect(new Set(nodes.map(({ metadata }) => metadata.name))).toEqual(new Set(cloud.hosts()));
    const starts = await cloud.on(interrupted, 'journalctl', '-u', 'fairway-node', '-o', 'cat', '--no-pager');
    expect(starts.stdout.match(/^Starting fairway-node/gm)).toHaveLength(2);
    for (const { spec, status } of nodes) {
      expect(spec?.providerID).toMatch(/^openstack:\/\//);
      expect(status?.nodeInfo?.kubeletVersion).toBe(`v${offered?.version}`);
    }
  });

  test('run the user data that Fairway wrote to the end, without an error', async () => {
    diagnoseFailure();
    expect(cloud.hosts()).not.toEqual([]);
    for (const host of cloud.hosts()) {
      const { stdout } = await cloud.on(host, 'cat', '/var/lib/cloud/instance/user-data.txt');
      expect(stdout).toMatch(/^#cloud-config\n/);
      expect(stdout).toBe(await cloud.userDataOf(host));
      expect(await cloud.on(host, 'cloud-init', 'status', '--wait')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/status: done/),
      });
      expect(await cloud.on(host, 'systemctl', 'is-enabled', 'containerd', 'kubelet')).toMatchObject({
        stdout: 'enabled\nenabled\n',
      });
    }
  });

  test('download only from the specified locations, directly or through the proxy, with its CA certificate', () => {
    // The mirror has no add-on images; metrics-server needs no pod network, so containerd may have requested them
    // already.
    const addonRegistryError = 'registry.k8s.io:443 refused';
    expect(cloud.proxied().filter((line) => line !== addonRegistryError)).toEqual([
      'packages.testbed.example:443 tunnelled',
    ]);
  });

  test("become Ready with the tenant's network", async () => {
    diagnoseFailure();
    const { items } = await tenant.resource<Node>(Nodes).list();
    await installTenantNetwork(tenant, items);

    await eventually(tenant.resource<Node>(Nodes), {}, (all) => all.length === 2 && all.every(isReady), BOOT_WAIT);
    const ready = await eventually(
      api.resource(machines),
      { namespace },
      (all) => all.length === 2 && all.every(({ status }) => status?.phase === 'Ready'),
    );
    expect(new Set(ready.map(({ status }) => status?.nodeName))).toEqual(new Set(cloud.hosts()));
  });

  test('serve with certificates that Fairway approved for their addresses', async () => {
    diagnoseFailure();
    const requests = await eventually(
      tenant.resource<CertificateSigningRequest>(CertificateSigningRequests),
      {},
      (all) => all.filter(isServing).filter(({ status }) => status?.certificate).length >= 2,
    );

    for (const { status } of requests.filter(({ status }) => status?.certificate)) {
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Approved', reason: 'FairwayNode' }));
    }
  });

  test('run a pod from an image in the registry mirror within its limit, and kubectl reads its log and runs commands in it', async () => {
    diagnoseFailure();
    const [node = ''] = cloud.hosts();
    await runPod('talker', node, 'echo said at once; trap exit TERM; tail -f /dev/null & wait');

    expect(cloud.proxied()).toContain('registry.testbed.example:443 tunnelled');
    expect(await tenantKubectl('logs', 'talker')).toMatchObject({ code: 0, stdout: 'said at once\n' });
    const hostname = await tenantKubectl('exec', 'talker', '--', 'sh', '-c', 'echo from $(hostname)');
    expect(hostname).toMatchObject({ code: 0, stdout: 'from talker\n' });
    const [v1, v2] = ['/sys/fs/cgroup/memory/memory.limit_in_bytes', '/sys/fs/cgroup/memory.max'];
    const limit = await tenantKubectl('exec', 'talker', '--', 'sh', '-c', `cat ${v2} 2>/dev/null || cat ${v1}`);
    expect(limit).toMatchObject({ code: 0, stdout: `${64 * 2 ** 20}\n` });
  });

  test('reach a pod on another host', async () => {
    diagnoseFailure();
    const [first = '', second = ''] = cloud.hosts();
    const page = 'trap exit TERM; mkdir /tmp/www; hostname > /tmp/www/index.html; httpd -f -p 8080 -h /tmp/www & wait';
    const server = await runPod('server', second, page);
    await runPod('client', first, 'trap exit TERM; tail -f /dev/null & wait');

    const url = `http://${server.status?.podIP}:8080/`;
    const result = await tenantKubectl('exec', 'client', '--', 'timeout', '10', 'wget', '-q', '-O', '-', url);

    expect(result).toMatchObject({ code: 0, stdout: 'server\n' });
    expect(new Set((await pods().list({ namespace })).items.map(({ spec }) => spec?.nodeName)).size).toBe(2);
  });

  test("keep their image's containerd, or get the release's", async () => {
    diagnoseFailure();
    const { items } = await tenant.resource<Node>(Nodes).list();
    const joined = items.find(({ metadata }) => metadata.name?.startsWith('demo-pool-1-'));
    const installed = items.find(({ metadata }) => metadata.name?.startsWith('demo-pool-2-'));

    expect(joined?.status?.nodeInfo?.containerRuntimeVersion).toMatch(/^containerd:\/\/1\.6\./);
    expect(installed?.status?.nodeInfo?.containerRuntimeVersion).toMatch(/^containerd:\/\/v?2\.2\./);
  });

  test("reserve the resources that the plan's formula computes, and manage their pods' cgroups with systemd", async () => {
    diagnoseFailure();
    const { items } = await tenant.resource<Node>(Nodes).list();
    expect(items).not.toEqual([]);
    for (const { metadata, status } of items) {
      const [capacity, allocatable] = [status?.capacity, status?.allocatable].map((list) =>
        parseQuantity(list?.['memory'] ?? 0),
      );
      const reserved = kubeReserved({ vcpus: 2, memoryMiB: 8192, diskGiB: 50 });
      const reservedMemory = [reserved.memory, EVICTION].map(parseQuantity).reduce(addQuantities);

      expect(compareQuantities(subtractQuantities(capacity ?? ZERO, reservedMemory), allocatable ?? ZERO)).toBe(0);
      expect(metadata.labels).toMatchObject({ 'fairway.dev/node-pool': expect.stringMatching(/^pool-/) });
      const slices = await cloud.on(
        metadata.name ?? '',
        'systemctl',
        'list-units',
        '--plain',
        '--no-legend',
        'kubepods*.slice',
      );
      expect(slices.stdout).toMatch(/kubepods-burstable-pod\w+\.slice +loaded active/);
    }
  });

  test('stop their pods gracefully on a reboot, return, and accept new pods', async () => {
    diagnoseFailure();
    const [host = ''] = cloud.hosts();
    const nodes = tenant.resource<Node>(Nodes);
    const bootID = (await nodes.get(host)).status?.nodeInfo?.bootID;

    await cloud.on(host, 'systemctl', 'reboot');
    const isReinstalled = (node: Node) => isReady(node) && node.status?.nodeInfo?.bootID !== bootID;
    await eventuallyObject(nodes, { name: host }, isReinstalled, BOOT_WAIT);

    const message = 'Pod was terminated in response to imminent node shutdown.';
    expect((await pods().get('talker', { namespace })).status).toMatchObject({ reason: 'Terminated', message });
    await runPod('latecomer', host, 'echo back again; trap exit TERM; tail -f /dev/null & wait');
    expect(await tenantKubectl('logs', 'latecomer')).toMatchObject({ code: 0, stdout: 'back again\n' });
  });

  test('are deleted with the cluster', async () => {
    diagnoseFailure();
    expect(await cli('cluster', 'delete', 'demo', '--yes')).toMatchObject({ code: 0 });

    expect(await cloud.waitForHosts()).toEqual([]);
  });

  test.each([0, 30, 100, 200, 400, 1000])(
    'leave nothing that cleanup misses if their boot is killed after %d ms',
    async (ms) => {
      const before = cloud.leftoverProcesses();
      await cloud.bootAndKillAfter('stray', ms);

      cloud.end('stray');
      expect(cloud.leftoverProcesses()).toEqual(before);
    },
  );
});
