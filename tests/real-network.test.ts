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
import { missingForCanal, missingForServices, offer } from './real-network/network-images.ts';
import { REFUSAL, webhookPod } from './real-network/webhook-pod.ts';
import type { HostCloud } from './real-nodes/host-cloud.ts';
import { HostedFairway } from './real-nodes/hosted-fairway.ts';
import { clusterManifest } from './real-nodes/manifest.ts';
import { isKnown, isReady } from './real-nodes/nodes.ts';
import { realNodeTools } from './real-nodes/requirements.ts';
import { writeTenantKubeconfig } from './real-nodes/tenant-kubeconfig.ts';
import { BUSYBOX, installTenantNetwork } from './real-nodes/tenant-network.ts';
import { clientOf } from './session/client-of.ts';
import { type CommandResult, type RunningFairway, run } from './session/running-fairway.ts';

const { offered, kubectl, title } = await realNodeTools();
/** Takes two minutes if everything is built, and a long build otherwise, so it must be requested explicitly. */
const isRequested = process.env['NODETEST_NETWORK'] !== undefined;
const missingRequirements = isRequested
  ? offered
    ? missingForServices(offered)
    : []
  : ['NODETEST_NETWORK in the environment'];
const described = missingRequirements.length === 0 ? title : `(skipped: no ${missingRequirements.join(', no ')})`;
const withoutCanalTitle = offered && missingRequirements.length === 0 ? missingForCanal() : [];
/** A tenant's own routes replace Canal if it is not built. */
const hasCanal = withoutCanalTitle.length === 0;
const policies = hasCanal ? '' : ` (skipped: no ${withoutCanalTitle.join(', no ')})`;

const namespace = 'default';
const BOOT_WAIT = { deadlineMs: 600_000 };
const SHORT_WAIT = { deadlineMs: 240_000 };
/** The networking add-ons, which must work. */
const NETWORK = [...(hasCanal ? ['canal'] : []), 'kube-proxy', 'coredns'];
const PORT = 8080;
const labels = { app: 'server' };

describe.skipIf(offered === undefined || missingRequirements.length > 0)(
  `the network of two nodes ${described}`,
  () => {
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
        const diagnostics = [
          ['get', 'pods', '--all-namespaces', '-o', 'wide'],
          ['get', 'endpointslices'],
          ...['canal', 'kube-proxy', 'kube-dns'].map((app) => logsOf(app)),
        ];
        const outputs = await Promise.all(diagnostics.map((args) => tenantKubectl(...args)));
        const output = outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
        process.stderr.write(`${output}\n${cloud.diagnosis()}\n${fairway.output}\n`);
      });
    }

    /** Runs a single-container pod on a node; resolves when it is ready. */
    async function runPod(name: string, node: Node, script: string, app = name): Promise<Pod> {
      await pods().create({
        metadata: { name, namespace, labels: { app } },
        spec: {
          nodeSelector: { 'kubernetes.io/hostname': node.metadata.name ?? '' },
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'main', image: BUSYBOX, command: ['sh', '-c', script] }],
        },
      });
      return eventuallyObject(pods(), { namespace, name }, isReady, SHORT_WAIT);
    }

    /** Runs a pod that returns its name to any client. */
    function runServer(name: string, node: Node): Promise<Pod> {
      const page = `mkdir /tmp/www; hostname > /tmp/www/index.html; exec httpd -f -p ${PORT} -h /tmp/www`;
      return runPod(name, node, page, labels.app);
    }

    function exec(...command: readonly string[]): Promise<CommandResult> {
      return tenantKubectl('exec', 'client', '--', 'timeout', '5', ...command);
    }

    /** The response that the client on the first node gets from this host; empty if there is none. */
    async function request(host: string, port = PORT): Promise<string> {
      return (await exec('wget', '-q', '-O', '-', `http://${host}:${port}/`)).stdout.trim();
    }

    /** Polls, because kube-proxy, CoreDNS and Felix apply changes asynchronously. */
    async function expectResponse(expected: string, fetchText: () => Promise<string>): Promise<void> {
      await expect.poll(fetchText, { timeout: SHORT_WAIT.deadlineMs, interval: 500 }).toBe(expected);
    }

    test(`has Ready networking add-ons: ${NETWORK.join(', ')}`, async () => {
      diagnoseFailure();
      const file = join(folder, 'cluster.yaml');
      await writeFile(
        file,
        clusterManifest(offered?.version ?? '', { plan: 'free', cni: hasCanal ? 'canal' : 'none' }),
      );
      expect(await run(kubectl, ['--kubeconfig', fairway.kubeconfig, 'apply', '-f', file])).toMatchObject({ code: 0 });
      const cluster = { namespace, name: 'demo' };
      tenantKubeconfig = await writeTenantKubeconfig(fairway, 'demo', join(folder, 'tenant.kubeconfig'), SHORT_WAIT);
      tenant = await clientOf(tenantKubeconfig);

      const nodes = tenant.resource<Node>(Nodes);
      const known = await eventually(nodes, {}, (all) => all.length === 2 && all.every(isKnown), BOOT_WAIT);
      if (!hasCanal) await installTenantNetwork(tenant, known, { ipMasq: true });
      const ready = await eventually(nodes, {}, (all) => all.length === 2 && all.every(isReady), BOOT_WAIT);
      const isDeployed = (name: string, addons: readonly { readonly name: string; readonly state: string }[] = []) =>
        addons.some((addon) => addon.name === name && addon.state === 'Ready');
      await eventuallyObject(
        api.resource(clusters),
        cluster,
        ({ status }) => NETWORK.every((name) => isDeployed(name, status?.addons)),
        BOOT_WAIT,
      );

      [first, second] = ready as [Node, Node];
    });

    test('reaches a pod from the other node by its address, by its Service and by the Service’s name', async () => {
      diagnoseFailure();
      await services().create({
        metadata: { name: 'server', namespace },
        spec: { selector: labels, ports: [{ port: 80, targetPort: PORT }] },
      });
      await runPod('client', first, 'exec tail -f /dev/null');
      const { status } = await runServer('server-1', second);

      const { spec } = await services().get('server', { namespace });
      await expectResponse('server-1', () => request(status?.podIP ?? ''));
      await expectResponse('server-1', () => request(spec.clusterIP ?? '', 80));
      await expectResponse('server-1', () => request('server', 80));
      const lookup = await exec('nslookup', 'server.default.svc.cluster.local');
      expect(lookup.stdout).toContain(`Address: ${spec.clusterIP}`);
    });

    test('lets pods reach the external API server through its Service', async () => {
      diagnoseFailure();
      const connect = 'nc -w 3 kubernetes.default.svc 443 </dev/null';
      expect(await exec('sh', '-c', connect)).toMatchObject({ code: 0 });
    });

    test('forwards a port of every node to the pod, or only a port of the node that runs the pod', async () => {
      diagnoseFailure();
      const ports = [{ port: 80, targetPort: PORT }];
      const nodePortService = await services().create({
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
        const response = await fetch(url, { signal: AbortSignal.timeout(3000) }).catch(() => undefined);
        return (await response?.text())?.trim() ?? '';
      };

      await expectResponse('server-1', () => fetchFrom(first, nodePortService));
      await expectResponse('server-1', () => fetchFrom(second, nodePortService));
      await expectResponse('server-1', () => fetchFrom(second, local));
      expect(await fetchFrom(first, local)).toBe('');
    });

    test('connects kubectl and the API server to the pod by port forwarding and through the proxies of pods and Services', async () => {
      diagnoseFailure();
      const base = '/api/v1/namespaces/default';
      for (const path of [`${base}/pods/server-1:${PORT}/proxy/`, `${base}/services/server:80/proxy/`]) {
        expect(await tenantKubectl('get', '--raw', path)).toMatchObject({ code: 0, stdout: 'server-1\n' });
      }
      const args = ['--kubeconfig', tenantKubeconfig, 'port-forward', 'pod/server-1', `:${PORT}`];
      const forwarding = spawn(kubectl, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      try {
        const response = await fetch(`http://127.0.0.1:${await portOf(forwarding)}/`);
        expect(await response.text()).toBe('server-1\n');
      } finally {
        forwarding.kill();
        await once(forwarding, 'exit');
      }
    });

    test('calls a webhook in a pod, and respects its response', async () => {
      diagnoseFailure();
      const { configMap, pod, service, configuration } = await webhookPod(second.metadata.name ?? '');
      await tenant.resource<ConfigMap>(ConfigMaps).create(configMap);
      await services().create(service);
      await pods().create(pod);
      await eventuallyObject(pods(), { namespace, name: 'hook' }, isReady, SHORT_WAIT);
      await tenant.resource<ValidatingWebhookConfiguration>(ValidatingWebhookConfigurations).create(configuration);

      const create = async () =>
        (await tenantKubectl('create', '--dry-run=server', '-f', refused(folder))).stderr.trim();
      await writeFile(
        refused(folder),
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: any, labels: {refuse: "yes"}}\n',
      );
      await expectResponse(
        `Error from server: error when creating "${refused(folder)}": admission webhook "hook.example.org" denied the request: ${REFUSAL}`,
        create,
      );
      await tenant
        .resource<ValidatingWebhookConfiguration>(ValidatingWebhookConfigurations)
        .delete(configuration.metadata.name ?? '');
    });

    test.skipIf(!hasCanal)(`blocks and admits the client of a Service by NetworkPolicy${policies}`, async () => {
      diagnoseFailure();
      const policy = tenant.resource<NetworkPolicy>(NetworkPolicies);
      await policy.create({
        metadata: { name: 'deny', namespace },
        spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'] },
      });
      await expectResponse('', () => request('server', 80));

      await policy.delete('deny', { namespace });
      await expectResponse('server-1', () => request('server', 80));
    });

    test('routes the Service to a pod that has moved to the other node', async () => {
      diagnoseFailure();
      await pods().delete('server-1', { namespace });
      await runServer('server-2', first);

      await expectResponse('server-2', () => request('server', 80));
    });

    test('deletes its hosts with the cluster', async () => {
      diagnoseFailure();
      const deleted = await run('npx', ['fairway', 'cluster', 'delete', 'demo', '--yes'], {
        KUBECONFIG: fairway.kubeconfig,
      });
      expect(deleted).toMatchObject({ code: 0 });
      expect(await cloud.waitForHosts()).toEqual([]);
    });
  },
);

function logsOf(app: string): readonly string[] {
  return ['-n', 'kube-system', 'logs', '-l', `k8s-app=${app}`, '--all-containers', '--prefix', '--tail=25'];
}

function refused(folder: string): string {
  return join(folder, 'refused.yaml');
}

/** Resolves with the port that kubectl forwards, once it prints it. */
function portOf(forwarding: ChildProcess): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let output = '';
  forwarding.stdout?.on('data', (chunk) => {
    output += String(chunk);
    const port = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
    if (port !== undefined) resolve(Number(port));
  });
  forwarding.once('exit', () => reject(new Error(`kubectl forwards nothing: ${output}`)));
  return promise;
}
