import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type {
  EndpointSlice,
  Pod,
  Secret,
  Service,
  ValidatingWebhookConfiguration,
} from '@fairway/kube/kinds/generated/types';
import {
  EndpointSlices,
  Pods,
  Secrets,
  Services,
  ValidatingWebhookConfigurations,
} from '@fairway/kube/kinds/resources';
import { eventually, eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest';
import { runWithInput } from './hosts/testbed.ts';
import { OneNodeCluster } from './in-cluster/one-node-cluster.ts';
import { isReady } from './real-nodes/nodes.ts';
import { realNodeTools } from './real-nodes/requirements.ts';
import { type CommandResult, PROJECT, run } from './session/running-fairway.ts';

const { offered, kubectl: kubectlPath, title } = await realNodeTools();

const namespace = SYSTEM_NAMESPACE;
const LABELS = 'app.kubernetes.io/name=fairway';
const PROGRAM = '/opt/fairway/dist/packages/cli/bin/fairway.js';
const SHORT_WAIT = { deadlineMs: 180_000 };

/** For machines without a volume provisioner, such as a developer's. */
const VOLUME = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'fairway-home' },
  spec: {
    capacity: { storage: '20Gi' },
    accessModes: ['ReadWriteOnce'],
    local: { path: '/var/lib/fairway-home' },
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] }] },
    },
  },
};

const TENANT = `apiVersion: fairway.dev/v1alpha1
kind: Cluster
metadata: {name: web, namespace: team-a}
spec: {plan: free}
---
apiVersion: fairway.dev/v1alpha1
kind: NodePool
metadata: {name: web, namespace: team-a}
spec: {clusterName: web, flavor: b3-8, replicas: 1}
`;

describe.skipIf(offered === undefined)(`the image in a pod on a real node ${title}`, () => {
  let folder: string;
  let cluster: OneNodeCluster;
  /** Arguments that make kubectl act as alice towards the gateway. */
  let alice: readonly string[];

  const kubectl = (...args: readonly string[]) => cluster.kubectl(...args);
  const asAlice = (...args: readonly string[]) => run(kubectlPath, [...alice, '--namespace', 'team-a', ...args]);
  const pods = () => cluster.client.resource<Pod>(Pods);
  const ownPods = { namespace, labelSelector: LABELS };

  beforeAll(async () => {
    if (offered === undefined) return;
    folder = mkdtempSync(join(tmpdir(), 'fairway-in-cluster-'));
    process.env['KUBEBUILDER_ASSETS'] = offered.folder;
    const image = join(folder, 'image.tar');
    execFileSync('npm', ['run', '--silent', 'image', '--', image], { cwd: PROJECT, stdio: 'ignore' });
    cluster = await OneNodeCluster.start(folder, offered, kubectlPath);
    const file = openSync(image, 'r');
    runWithInput(cluster.node, file, 'ctr', '-n', 'k8s.io', 'images', 'import', '-');
    closeSync(file);
    await cluster.runOnNode('install', '-d', '/var/lib/fairway-home');
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    if (existsSync(folder)) rmSync(folder, { recursive: true });
  });

  function diagnoseFailure(): void {
    onTestFailed(async () => void process.stderr.write(`${await cluster.diagnosis()}\n`));
  }

  function succeeded({ code, stdout, stderr }: CommandResult): string {
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.anything() });
    return stdout;
  }

  function manifest(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs a JavaScript program in the pod, which has no shell. */
  const runInPod = (script: string) =>
    kubectl('--namespace', namespace, 'exec', 'deployment/fairway', '--', '/usr/bin/node', '-e', script);

  async function readyPod(predicate: (pod: Pod) => boolean = () => true): Promise<Pod> {
    const found = await eventually(
      pods(),
      ownPods,
      (all) => all.length === 1 && all.every((pod) => isReady(pod) && predicate(pod)),
      SHORT_WAIT,
    );
    const [pod] = found;
    const isServing = ({ endpoints = [] }: EndpointSlice) =>
      endpoints.some(
        ({ addresses, conditions }) => conditions?.ready === true && addresses.includes(pod?.status?.podIP ?? ''),
      );
    const gatewaySlices = { namespace, labelSelector: 'kubernetes.io/service-name=fairway-gateway' };
    const slices = cluster.client.resource<EndpointSlice>(EndpointSlices);
    await eventually(slices, gatewaySlices, (all) => all.some(isServing), SHORT_WAIT);
    await cluster.serveServices();
    return pod as Pod;
  }

  /** Waits until the current replica validates and reconciles changes. */
  async function expectScaled(replicas: number): Promise<void> {
    succeeded(await asAlice('scale', 'nodepool/web', `--replicas=${replicas}`));
    succeeded(
      await asAlice('wait', 'nodepool/web', `--for=jsonpath={.status.readyReplicas}=${replicas}`, '--timeout=5m'),
    );
    succeeded(await asAlice('wait', 'cluster/web', '--for=condition=Ready', '--timeout=5m'));
  }

  test('becomes Available with the plain manifests, in a namespace for restricted pods', async () => {
    diagnoseFailure();
    const install = await run('npx', ['fairway', 'install', '--kubeconfig', cluster.kubeconfig]);
    succeeded(install);
    const enforceLabel = 'pod-security.kubernetes.io/enforce=restricted';
    succeeded(await kubectl('label', 'namespace', namespace, enforceLabel));
    succeeded(await kubectl('apply', '-f', manifest('volume.json', JSON.stringify(VOLUME))));
    await cluster.serveServices();
    succeeded(await kubectl('apply', '--server-side', '-f', join(PROJECT, 'deploy/manifests/serve.yaml')));
    const wait = ['wait', 'deployment/fairway', '--for=condition=Available', '--timeout=5m'];
    succeeded(await kubectl('--namespace', namespace, ...wait));
    const { metadata, status } = await readyPod();

    expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/component': 'serve' });
    expect(status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      image: expect.stringContaining('fairway'),
    });
  });

  test('runs as an unprivileged user who can only write to its home and /tmp', async () => {
    diagnoseFailure();
    const status = succeeded(await runInPod('process.stdout.write(fs.readFileSync("/proc/self/status"))'));
    expect(status).toMatch(/^Uid:\t65532\t65532\t65532\t65532$/m);
    expect(status).toMatch(/^CapBnd:\t0{16}$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);

    const folders = ['/', '/opt/fairway', '/etc', '/usr/bin', '/var/lib', '/var/lib/fairway', '/tmp'];
    const attempt = 'try{fs.writeFileSync(f+"/x","");fs.unlinkSync(f+"/x");return true}catch{return false}';
    const written = succeeded(
      await runInPod(`console.log(JSON.stringify(${JSON.stringify(folders)}.filter((f)=>{${attempt}})))`),
    );
    expect(JSON.parse(written)).toEqual(['/var/lib/fairway', '/tmp']);
  });

  test('serves its log to kubectl, and runs its own command in the pod', async () => {
    diagnoseFailure();
    const log = succeeded(await kubectl('--namespace', namespace, 'logs', 'deployment/fairway'));
    expect(log).toMatch(/^Fairway serves https:\/\/10\.3\.0\.1:443 \(this pod's own cluster\) after [0-9.]+ s$/m);
    const version = ['exec', 'deployment/fairway', '--', '/usr/bin/node', PROGRAM, 'version', '--client'];
    expect(succeeded(await kubectl('--namespace', namespace, ...version))).toMatch(/^Client: fairway \d/);
  });

  test('is called by kube-apiserver through its Service', async () => {
    diagnoseFailure();
    const configuration = await eventuallyObject(
      cluster.client.resource<ValidatingWebhookConfiguration>(ValidatingWebhookConfigurations),
      { name: 'admission.fairway.dev' },
    );
    expect(configuration.webhooks?.[0]?.clientConfig).toMatchObject({
      service: { name: 'fairway-gateway', namespace, port: 8443 },
    });

    const metadata = { name: 'refused', namespace: 'default' };
    const bad = { apiVersion: 'fairway.dev/v1alpha1', kind: 'Cluster', metadata, spec: { plan: 'no-such-plan' } };
    const refused = await kubectl('apply', '-f', manifest('refused.json', JSON.stringify(bad)));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('no-such-plan') });
    expect(refused.stderr).not.toContain('failed calling webhook');
  });

  test('gives a tenant a Ready cluster through the gateway', async () => {
    diagnoseFailure();
    succeeded(await kubectl('create', 'namespace', 'team-a'));
    succeeded(await kubectl('annotate', 'namespace', 'team-a', 'fairway.dev/cloud=simulator'));
    succeeded(await kubectl('-n', 'team-a', 'create', 'serviceaccount', 'alice'));
    const role = ['--clusterrole=fairway-member', '--serviceaccount=team-a:alice'];
    succeeded(await kubectl('-n', 'team-a', 'create', 'rolebinding', 'alice', ...role));
    const token = succeeded(await kubectl('-n', 'team-a', 'create', 'token', 'alice')).trim();
    const service = await cluster.client.resource<Service>(Services).get('fairway-gateway', { namespace });
    const gatewaySecret = await cluster.client.resource<Secret>(Secrets).get('fairway-gateway', { namespace });
    const authority = Buffer.from(gatewaySecret.data?.['ca.crt'] ?? '', 'base64').toString();
    alice = [
      `--server=https://${service.spec?.clusterIP}:8443`,
      `--tls-server-name=fairway-gateway.${namespace}.svc`,
      `--certificate-authority=${manifest('gateway-ca.crt', authority)}`,
      `--token=${token}`,
    ];

    succeeded(await asAlice('apply', '-f', manifest('tenant.yaml', TENANT)));
    succeeded(await asAlice('wait', 'cluster/web', '--for=condition=Ready', '--timeout=5m'));
    expect(succeeded(await asAlice('get', 'machines'))).toMatch(/ Ready /);
  });

  test('continues with its home in a new pod after its pod is deleted', async () => {
    diagnoseFailure();
    const before = await readyPod();

    succeeded(await kubectl('--namespace', namespace, 'delete', 'pod', before.metadata.name ?? '', '--timeout=5m'));
    await readyPod(({ metadata }) => metadata.uid !== before.metadata.uid);

    await expectScaled(2);
  });

  test('restarts in its pod after its process is killed', async () => {
    diagnoseFailure();
    const { metadata } = await readyPod();

    succeeded(await cluster.runOnNode('pkill', '-KILL', '-f', 'packages/cli/src/main.js serve'));
    await readyPod(
      ({ metadata: { uid }, status }) => uid === metadata.uid && status?.containerStatuses?.[0]?.restartCount === 1,
    );

    await expectScaled(1);
  });

  test('applies a change to the ConfigMap on a manual rollout', async () => {
    diagnoseFailure();
    const before = await readyPod();
    const config = succeeded(
      await kubectl(
        '--namespace',
        namespace,
        'get',
        'configmap',
        'fairway-config',
        '-o',
        'jsonpath={.data.fairway\\.yaml}',
      ),
    );
    const changed = JSON.stringify({ data: { 'fairway.yaml': config.replace('level: info', 'level: debug') } });
    succeeded(await kubectl('--namespace', namespace, 'patch', 'configmap', 'fairway-config', '-p', changed));
    succeeded(await kubectl('--namespace', namespace, 'rollout', 'restart', 'deployment', 'fairway'));
    await readyPod(({ metadata }) => metadata.uid !== before.metadata.uid);

    succeeded(await asAlice('delete', 'cluster/web', '--timeout=5m'));
    expect(succeeded(await asAlice('get', 'machines', '-o', 'name'))).toBe('');
    expect(succeeded(await kubectl('--namespace', namespace, 'logs', 'deployment/fairway'))).toContain('"level":20');
  });
});
