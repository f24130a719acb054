import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clusters } from '@fairway/api/kinds/cluster';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type {
  ConfigMap,
  NetworkPolicy,
  Node,
  Pod,
  Service,
  ValidatingWebhookConfiguration,
} from '@fairway/kube/kinds/generated/types';
import {
  ConfigMaps,
  NetworkPolicies,
  Nodes,
  Pods,
  Services,
  ValidatingWebhookConfigurations,
} from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { canalLacks, offer, servicesLack } from './real-network/network-images.ts';
import { REFUSAL, webhookPod } from './real-network/webhook-pod.ts';
import type { HostCloud } from './real-nodes/host-cloud.ts';
import { HostedFairway } from './real-nodes/hosted-fairway.ts';
import { clusterManifest } from './real-nodes/manifest.ts';
import { isKnown, isReady } from './real-nodes/nodes.ts';
import { realNodesNeed } from './real-nodes/requirements.ts';
import { writeTenantKubeconfig } from './real-nodes/tenant-kubeconfig.ts';
import { BUSYBOX, installTenantNetwork } from './real-nodes/tenant-network.ts';
import { clientOf } from './session/client-of.ts';
import { type Answer, type RunningFairway, run } from './session/running-fairway.ts';

const { offered, kubectl, title } = await realNodesNeed();
/** It takes two minutes if everything is built, and a long build before, so it must be requested. */
const isAskedFor = process.env['NODETEST_NETWORK'] !== undefined;
const lacked = isAskedFor ? (offered ? servicesLack(offered) : []) : ['NODETEST_NETWORK in the environment'];
const described = lacked.length === 0 ? title : `(skipped: no ${lacked.join(', no ')})`;
const withoutCanal = offered && lacked.length === 0 ? canalLacks() : [];
/** A tenant's own routes replace Canal if that is not built. */
const hasCanal = withoutCanal.length === 0;
const policies = hasCanal ? '' : ` (skipped: no ${withoutCanal.join(', no ')})`;

const namespace = 'default';
const BOOT = { deadlineMs: 600_000 };
const SOON = { deadlineMs: 240_000 };
/** The add-ons that carry packets, which have to work. */
const NETWORK = [...(hasCanal ? ['canal'] : []), 'kube-proxy', 'coredns'];
const PORT = 8080;
const labels = { app: 'server' };

describe.skipIf(offered === undefined || lacked.length > 0)(`the network of two nodes ${described}`, () => {
  let hosted: HostedFairway;
  let folder: string;
  let cloud: HostCloud;
  let fairway: RunningFairway;
  let api: KubeClient;
  let tenant: KubeClient;
  let tenantKubeconfig: string;
  let first: Node;
  let second: Node;

  const tenantKubectl = (...args: readonly string[]) => run(kubectl, ['--kubeconfig', tenantKubeconfig, ...args]);
  const pods = () => tenant.resource<Pod>(Pods);
  const services = () => tenant.resource<Service>(Services);

  beforeAll(async () => {
    hosted = await HostedFairway.start(offered);
    ({ folder, cloud, fairway, api } = hosted);
    if (offered) await offer(api, offered, 'services', ...(hasCanal ? ['canal'] : []));
  });

  afterAll(async () => {
    tenant?.close();
    await hosted?.[Symbol.asyncDispose]();
  });

  function diagnoseFailure(): void {
    onTestFailed(async () => {
      const told = [
        ['get', 'pods', '--all-namespaces', '-o', 'wide'],
        ['get', 'endpointslices'],
        ...['canal', 'kube-proxy', 'kube-dns'].map((app) => logsOf(app)),
      ];
      const answers = await Promise.all(told.map((args) => tenantKubectl(...args)));
      const said = answers.map(({ stdout, stderr }) => stdout + stderr).join('\n');
      process.stderr.write(`${said}\n${cloud.diagnosis()}\n${fairway.output}\n`);
    });
  }

  /** Runs a pod of one container on a node, until it is ready. */
  async function runPod(name: string, node: Node, script: string, app = name): Promise<Pod> {
    await pods().create({
      metadata: { name, namespace, labels: { app } },
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': node.metadata.name ?? '' },
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'main', image: BUSYBOX, command: ['sh', '-c', script] }],
      },
    });
    return eventuallyObject(pods(), { namespace, name }, isReady, SOON);
  }

  /** A pod that returns its name to any client. */
  function runServer(name: string, node: Node): Promise<Pod> {
    const page = `mkdir /tmp/www; hostname > /tmp/www/index.html; exec httpd -f -p ${PORT} -h /tmp/www`;
    return runPod(name, node, page, labels.app);
  }

  function exec(...command: readonly string[]): Promise<Answer> {
    return tenantKubectl('exec', 'client', '--', 'timeout', '5', ...command);
  }

  /** The response that the client on the first node gets from there; empty: nothing. */
  async function ask(host: string, port = PORT): Promise<string> {
    return (await exec('wget', '-q', '-O', '-', `http://${host}:${port}/`)).stdout.trim();
  }

  /** kube-proxy, CoreDNS and Felix apply changes asynchronously. */
  async function expectAnswer(wanted: string, asking: () => Promise<string>): Promise<void> {
    await expect.poll(asking, { timeout: SOON.deadlineMs, interval: 500 }).toBe(wanted);
  }

  test(`what carries packets is Ready: ${NETWORK.join(', ')}`, async () => {
    diagnoseFailure();
    const file = join(folder, 'cluster.yaml');
    await writeFile(file, clusterManifest(offered?.version ?? '', { plan: 'free', cni: hasCanal ? 'canal' : 'none' }));
    expect(await run(kubectl, ['--kubeconfig', fairway.kubeconfig, 'apply', '-f', file])).toMatchObject({ code: 0 });
    const cluster = { namespace, name: 'demo' };
    tenantKubeconfig = await writeTenantKubeconfig(fairway, 'demo', join(folder, 'tenant.kubeconfig'), SOON);
    tenant = await clientOf(tenantKubeconfig);

    const nodes = tenant.resource<Node>(Nodes);
    const known = await eventually(nodes, {}, (all) => all.length === 2 && all.every(isKnown), BOOT);
    if (!hasCanal) await installTenantNetwork(tenant, known, { ipMasq: true });
    const ready = await eventually(nodes, {}, (all) => all.length === 2 && all.every(isReady), BOOT);
    const isCarried = (name: string, addons: readonly { readonly name: string; readonly state: string }[] = []) =>
      addons.some((addon) => addon.name === name && addon.state === 'Ready');
    await eventuallyObject(
      api.resource(clusters),
      cluster,
      ({ status }) => NETWORK.every((name) => isCarried(name, status?.addons)),
      BOOT,
    );

    [first, second] = ready as [Node, Node];
  });

  test('a pod is reached from the other node: by its address, by its Service, by the Service’s name', async () => {
    diagnoseFailure();
    await services().create({
      metadata: { name: 'server', namespace },
      spec: { selector: labels, ports: [{ port: 80, targetPort: PORT }] },
    });
    await runPod('client', first, 'exec tail -f /dev/null');
    const { status } = await runServer('server-1', second);

    const { spec } = await services().get('server', { namespace });
    await expectAnswer('server-1', () => ask(status?.podIP ?? ''));
    await expectAnswer('server-1', () => ask(spec.clusterIP ?? '', 80));
    await expectAnswer('server-1', () => ask('server', 80));
    const lookup = await exec('nslookup', 'server.default.svc.cluster.local');
    expect(lookup.stdout).toContain(`Address: ${spec.clusterIP}`);
  });

  test('pods reach the API server, which is outside, by its Service', async () => {
    diagnoseFailure();
    const connect = 'nc -w 3 kubernetes.default.svc 443 </dev/null';
    expect(await exec('sh', '-c', connect)).toMatchObject({ code: 0 });
  });

  test('a port of every node leads to the pod, or only that of its own node', async () => {
    diagnoseFailure();
    const ports = [{ port: 80, targetPort: PORT }];
    const everywhere = await services().create({
      metadata: { name: 'everywhere', namespace },
      spec: { type: 'NodePort', selector: labels, ports },
    });
    const local = await services().create({
      metadata: { name: 'local', namespace },
      spec: { type: 'NodePort', externalTrafficPolicy: 'Local', selector: labels, ports },
    });
    const fetchFrom = async (node: Node, service: Service) => {
      const address = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
      const url = `http://${address}:${service.spec.ports?.[0]?.nodePort}/`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(3000) }).catch(() => undefined);
      return (await answer?.text())?.trim() ?? '';
    };

    await expectAnswer('server-1', () => fetchFrom(first, everywhere));
    await expectAnswer('server-1', () => fetchFrom(second, everywhere));
    await expectAnswer('server-1', () => fetchFrom(second, local));
    expect(await fetchFrom(first, local)).toBe('');
  });

  test('kubectl and the API server reach the pod: forwarded, and through the proxy of pods and Services', async () => {
    diagnoseFailure();
    const base = '/api/v1/namespaces/default';
    for (const path of [`${base}/pods/server-1:${PORT}/proxy/`, `${base}/services/server:80/proxy/`]) {
      expect(await tenantKubectl('get', '--raw', path)).toMatchObject({ code: 0, stdout: 'server-1\n' });
    }
    const args = ['--kubeconfig', tenantKubeconfig, 'port-forward', 'pod/server-1', `:${PORT}`];
    const forwarding = spawn(kubectl, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const answer = await fetch(`http://127.0.0.1:${await portOf(forwarding)}/`);
      expect(await answer.text()).toBe('server-1\n');
    } finally {
      forwarding.kill();
      await once(forwarding, 'exit');
    }
  });

  test('a webhook in a pod is called, and its response is respected', async () => {
    diagnoseFailure();
    const { configMap, pod, service, configuration } = await webhookPod(second.metadata.name ?? '');
    await tenant.resource<ConfigMap>(ConfigMaps).create(configMap);
    await services().create(service);
    await pods().create(pod);
    await eventuallyObject(pods(), { namespace, name: 'hook' }, isReady, SOON);
    await tenant.resource<ValidatingWebhookConfiguration>(ValidatingWebhookConfigurations).create(configuration);

    const create = async () => (await tenantKubectl('create', '--dry-run=server', '-f', refused(folder))).stderr.trim();
    await writeFile(
      refused(folder),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: any, labels: {refuse: "yes"}}\n',
    );
    await expectAnswer(
      `Error from server: error when creating "${refused(folder)}": admission webhook "hook.example.org" denied the request: ${REFUSAL}`,
      create,
    );
    await tenant
      .resource<ValidatingWebhookConfiguration>(ValidatingWebhookConfigurations)
      .delete(configuration.metadata.name ?? '');
  });

  test.skipIf(!hasCanal)(
    `a NetworkPolicy keeps the client from the Service, and lets it in again${policies}`,
    async () => {
      diagnoseFailure();
      const policy = tenant.resource<NetworkPolicy>(NetworkPolicies);
      await policy.create({
        metadata: { name: 'deny', namespace },
        spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'] },
      });
      await expectAnswer('', () => ask('server', 80));

      await policy.delete('deny', { namespace });
      await expectAnswer('server-1', () => ask('server', 80));
    },
  );

  test('the Service follows a pod that moves to the other node', async () => {
    diagnoseFailure();
    await pods().delete('server-1', { namespace });
    await runServer('server-2', first);

    await expectAnswer('server-2', () => ask('server', 80));
  });

  test('a deleted cluster takes its hosts along', async () => {
    diagnoseFailure();
    const deleted = await run('npx', ['fairway', 'cluster', 'delete', 'demo', '--yes'], {
      KUBECONFIG: fairway.kubeconfig,
    });
    expect(deleted).toMatchObject({ code: 0 });
    expect(await cloud.settledHosts()).toEqual([]);
  });
});

function logsOf(app: string): readonly string[] {
  return ['-n', 'kube-system', 'logs', '-l', `k8s-app=${app}`, '--all-containers', '--prefix', '--tail=25'];
}

function refused(folder: string): string {
  return join(folder, 'refused.yaml');
}

/** The port that kubectl forwards, once it prints it. */
function portOf(forwarding: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let said = '';
  forwarding.stdout?.on('data', (chunk) => {
    said += String(chunk);
    const port = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
    if (port !== undefined) resolve(Number(port));
  });
  forwarding.once('exit', () => reject(new Error(`kubectl forwards nothing: ${said}`)));
  return promise;
}
