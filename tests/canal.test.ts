import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { NetworkPolicy, Node, Pod } from '@fairway/kube/kinds/generated/types';
import { NetworkPolicies, Nodes, Pods } from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import type { HostCloud } from './real-nodes/host-cloud.ts';
import { HostedFairway } from './real-nodes/hosted-fairway.ts';
import { isReady } from './real-nodes/nodes.ts';
import { realNodeTools } from './real-nodes/requirements.ts';
import { BUSYBOX } from './real-nodes/tenant-network.ts';
import { clientOf } from './session/client-of.ts';
import { type RunningFairway, run } from './session/running-fairway.ts';

const { offered, kubectl, title } = await realNodeTools();
/** A directory with Canal's binaries, from which the testbed builds images. */
const binaries = process.env['NODETEST_CANAL'] ?? '';
const isOffered = offered !== undefined && existsSync(join(binaries, 'calico-node'));
const availability = existsSync(join(binaries, 'calico-node'))
  ? title
  : '(skipped: no programs of Canal in NODETEST_CANAL)';

const namespace = 'default';
const BOOT_WAIT = { deadlineMs: 420_000 };
const SHORT_WAIT = { deadlineMs: 300_000 };

const manifest = (version: string) => `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: {name: demo}
spec: {plan: free, version: ${version}, cni: {type: canal}}
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: {name: pool}
spec: {clusterName: demo, flavor: b3-8, replicas: 2, image: debian-12-containerd}
`;

describe.skipIf(!isOffered)(`the pod network that Fairway installs ${availability}`, () => {
  let hosted: HostedFairway;
  let folder: string;
  let cloud: HostCloud;
  let fairway: RunningFairway;
  let api: KubeClient;
  let tenant: KubeClient;
  let tenantKubeconfig: string;
  let server: Pod;

  const tenantKubectl = (...args: readonly string[]) => run(kubectl, ['--kubeconfig', tenantKubeconfig, ...args]);

  beforeAll(async () => {
    hosted = await HostedFairway.start(offered);
    ({ folder, cloud, fairway, api } = hosted);
  });

  afterAll(async () => {
    tenant?.close();
    await hosted?.[Symbol.asyncDispose]();
  });

  function diagnoseFailure(): void {
    onTestFailed(async () => {
      const pods = await tenantKubectl('-n', 'kube-system', 'describe', 'pods', '-l', 'k8s-app=canal');
      const logs = ['install-cni', 'kube-flannel', 'calico-node'].map((container) =>
        tenantKubectl('-n', 'kube-system', 'logs', '-l', 'k8s-app=canal', '-c', container, '--tail=40'),
      );
      const output = (await Promise.all(logs)).map(({ stdout, stderr }) => stdout + stderr);
      process.stderr.write(`${pods.stdout}\n${output.join('\n')}\n${cloud.diagnosis()}\n${fairway.output}\n`);
    });
  }

  /** Runs a single-container pod on a node; resolves when it is ready. */
  async function runPod(name: string, nodeName: string, script: string): Promise<Pod> {
    const pods = tenant.resource<Pod>(Pods);
    await pods.create({
      metadata: { name, namespace, labels: { app: name } },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': nodeName },
        containers: [{ name: 'main', image: BUSYBOX, command: ['sh', '-c', `trap exit TERM; ${script} & wait`] }],
      },
    });
    return eventuallyObject(pods, { namespace, name }, isReady, SHORT_WAIT);
  }

  /** The response that a pod gets from the server on the other node. */
  async function request(from: string): Promise<string> {
    const url = `http://${server.status?.podIP}:8080/`;
    return (await tenantKubectl('exec', from, '--', 'timeout', '3', 'wget', '-q', '-O', '-', url)).stdout;
  }

  /** Polls, because Felix applies a policy asynchronously. */
  async function waitForResponse(from: string, expected: string): Promise<void> {
    await expect.poll(() => request(from), { timeout: SHORT_WAIT.deadlineMs }).toBe(expected);
  }

  test('makes nodes Ready, and becomes Ready itself', async () => {
    diagnoseFailure();
    const file = join(folder, 'cluster.yaml');
    await writeFile(file, manifest(offered?.version ?? ''));
    expect(await run(kubectl, ['--kubeconfig', fairway.kubeconfig, 'apply', '-f', file])).toMatchObject({ code: 0 });
    await eventuallyObject(
      api.resource(clusters),
      { namespace, name: 'demo' },
      ({ status }) => status?.addons !== undefined,
      SHORT_WAIT,
    );
    tenantKubeconfig = join(folder, 'tenant.kubeconfig');
    const { stdout } = await run('npx', ['fairway', 'kubeconfig', 'demo'], { KUBECONFIG: fairway.kubeconfig });
    await writeFile(tenantKubeconfig, stdout);
    tenant = await clientOf(tenantKubeconfig);

    await eventually(tenant.resource<Node>(Nodes), {}, (all) => all.length === 2 && all.every(isReady), BOOT_WAIT);
    const { status } = await eventuallyObject(
      api.resource(clusters),
      { namespace, name: 'demo' },
      (cluster) => cluster.status?.addons?.some(({ name, state }) => name === 'canal' && state === 'Ready') === true,
      SHORT_WAIT,
    );

    expect(status?.cniInstaller).toBe('Fairway');
  });

  test('carries packets from pod to pod across nodes, over VXLAN, up to the maximum size', async () => {
    diagnoseFailure();
    const [first = '', second = ''] = cloud.hosts();
    const page = 'mkdir /tmp/www; hostname > /tmp/www/index.html; httpd -f -p 8080 -h /tmp/www';
    server = await runPod('server', second, page);
    await runPod('friend', first, 'tail -f /dev/null');
    await runPod('stranger', first, 'tail -f /dev/null');

    await waitForResponse('friend', 'server\n');
    expect(await request('stranger')).toBe('server\n');
    const link = await cloud.on(first, 'ip', '-d', 'link', 'show', 'flannel.1');
    expect(link.stdout).toMatch(/vxlan id 1 .*dstport 8472/);
    const mtu = /mtu (\d+)/.exec(link.stdout)?.[1];
    expect((await tenantKubectl('exec', 'friend', '--', 'cat', '/sys/class/net/eth0/mtu')).stdout).toBe(`${mtu}\n`);
  });

  test('enforces a NetworkPolicy that denies traffic, and one that allows it again', async () => {
    diagnoseFailure();
    const policies = tenant.resource<NetworkPolicy>(NetworkPolicies);
    const podSelector = { matchLabels: { app: 'server' } };

    await policies.create({ metadata: { name: 'deny', namespace }, spec: { podSelector, policyTypes: ['Ingress'] } });
    await waitForResponse('stranger', '');
    expect(await request('friend')).toBe('');
    const from = [{ podSelector: { matchLabels: { app: 'friend' } } }];
    await policies.create({ metadata: { name: 'allow', namespace }, spec: { podSelector, ingress: [{ from }] } });
    await waitForResponse('friend', 'server\n');
    expect(await request('stranger')).toBe('');
    await policies.delete('deny', { namespace });
    await policies.delete('allow', { namespace });
    await waitForResponse('stranger', 'server\n');
  });
});
