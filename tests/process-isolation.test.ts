import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { oidcVersionProblem } from '@fairway/api/domain/oidc-problems';
import { COMPONENTS } from '@fairway/control-plane/process/components';
import { machineNetwork } from '@fairway/control-plane/process/egress/egress-network';
import type { ControlPlaneState } from '@fairway/control-plane/runtime';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type {
  APIService,
  ConfigMap,
  EndpointSlice,
  Node,
  Pod,
  Service,
  ServiceAccount,
  ValidatingWebhookConfiguration,
} from '@fairway/kube/kinds/generated/types';
import {
  APIServices,
  ConfigMaps,
  EndpointSlices,
  Nodes,
  Pods,
  ServiceAccounts,
  Services,
  ValidatingWebhookConfigurations,
} from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pidsOf } from './process-runtime/local-processes.ts';
import { CLUSTER_UID, isRunning, ProcessCluster } from './process-runtime/process-cluster.ts';
import { testReleases } from './process-runtime/releases.ts';

const { offered } = await testReleases();
const described = offered
  ? `with Kubernetes ${offered.described}`
  : '(skipped: no binaries of 1.31 or later are found)';
const isRoot = process.geteuid?.() === 0;

const namespace = 'default';
/** A name that the tenant's own name server resolves. */
const REBINDING = 'rebinding.example.org';
/** OpenSSL accepts the negative serial number of this certificate, and Go does not. */
const NEGATIVE_SERIAL = `-----BEGIN CERTIFICATE-----
MIIBajCCARCgAwIBAgIB+zAKBggqhkjOPQQDAjATMREwDwYDVQQDDAhuZWdhdGl2
ZTAgFw0yNjExMjIxMDUyNTVaGA8yMTI2MTAyOTEwNTI1NVowEzERMA8GA1UEAwwI
bmVnYXRpdmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR25P9hlEF1C6kpDgQv
Fq2EDGveqFUTm1C+g+Ra99g3jq9TIgh8tt0R2FFbyC9EuPm8LR6AqkHBjNv+zbMv
mkV7o1MwUTAdBgNVHQ4EFgQU0POJVyg9O9W74Kd8ujRCOb8x7xAwHwYDVR0jBBgw
FoAU0POJVyg9O9W74Kd8ujRCOb8x7xAwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjO
PQQDAgNIADBFAiBox8ghuqeenmlW9un6Sp9o4UQ7creOCDNZmLSJ2Wh6sQIhAOZ2
RbwFtU4np+cb3yQpPjguRrdplwBHAetRxhv1dnfH
-----END CERTIFICATE-----
`;

/** A service on this machine that tenants must not reach. */
class Listener implements AsyncDisposable {
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #waiting: (() => void)[] = [];

  private constructor() {
    this.#server = createServer((socket) => {
      this.connections++;
      for (const wake of this.#waiting.splice(0)) wake();
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('data', () => socket.destroy());
    });
  }

  static async open(): Promise<Listener> {
    const listener = new Listener();
    await new Promise<void>((resolve) => listener.#server.listen(0, '127.0.0.1', resolve));
    return listener;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Resolves when a client has connected after this call. */
  connected(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Makes tenants' names resolve to loopback from now on, whatever they resolved to earlier. */
const network = { ...machineNetwork, resolve: () => Promise.resolve(['127.0.0.1']) };

describe.skipIf(offered === undefined)(`a tenant's API server ${described}`, () => {
  let parent: string;
  let listener: Listener;
  let assets: string;
  let cluster: ProcessCluster;
  let client: KubeClient;

  const configMaps = () => client.resource<ConfigMap>(ConfigMaps);
  const webhooks = () => client.resource<ValidatingWebhookConfiguration>(ValidatingWebhookConfigurations);

  let hooks = 0;
  const hookName = () => `reach-${hooks}.example.org`;

  async function hook(url: string): Promise<void> {
    hooks++;
    await webhooks().create({
      metadata: { name: 'reach' },
      webhooks: [
        {
          name: hookName(),
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
          clientConfig: { url },
          // Excludes what the control plane itself needs.
          objectSelector: { matchLabels: { reach: 'yes' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
      ],
    });
  }

  /**
   * The response to a write once the last webhook is in effect. The API server takes a moment to see it, and to see
   * that the previous one has been deleted.
   */
  async function refusal(): Promise<string> {
    for (;;) {
      const metadata = { generateName: 'reach-', namespace, labels: { reach: 'yes' } };
      const response = await configMaps()
        .create({ metadata })
        .then(
          () => undefined,
          (error: Error) => error.message,
        );
      if (response?.includes(hookName())) return response;
    }
  }

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fairway-isolation-'));
    listener = await Listener.open();
    assets = offered?.assets(parent) ?? '';
    cluster = await ProcessCluster.open(parent, assets, offered?.version ?? '', undefined, { network });
    cluster.spec = { ...cluster.spec, nodeNetworks: ['127.0.0.0/8', '10.1.0.0/20'] };
    client = await cluster.connect(await cluster.waitForState(isRunning));
    const serviceAccounts = client.resource<ServiceAccount>(ServiceAccounts);
    await eventuallyObject(serviceAccounts, { namespace, name: 'default' }, () => true);
  });
  afterAll(async () => {
    client?.close();
    await cluster?.runtime.close();
    await listener?.[Symbol.asyncDispose]();
    await rm(parent, { recursive: true, force: true });
  });
  beforeEach(() => {
    listener.connections = 0;
  });

  test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', REBINDING])(
    'does not connect to a webhook at %s',
    async (host) => {
      await hook(`https://${host}:${listener.port}/`);

      expect(await refusal()).toContain('127.0.0.1 is a loopback or link-local address');

      expect(listener.connections).toBe(0);
      await webhooks().delete('reach');
    },
  );

  test.each(['169.254.169.254', '10.1.0.5', '192.168.0.1'])('does not connect to a webhook at %s', async (host) => {
    await hook(`https://${host}/`);

    expect(await refusal()).toMatch(new RegExp(`${host} is (a loopback or link-local|neither a node)`));
    await webhooks().delete('reach');
  });

  test.each([
    { address: '127.0.0.1', reason: 'loopback or link-local' },
    { address: '169.254.169.254', reason: 'loopback or link-local' },
    { address: '10.9.0.1', reason: 'neither a node of the cluster nor a public address' },
  ])('does not request logs from a node that reports $address', async ({ address, reason }) => {
    const nodes = client.resource<Node>(Nodes);
    const name = `liar-${address.replaceAll('.', '-')}`;
    await nodes.create({ metadata: { name }, spec: {} });
    await nodes.patch(
      name,
      {
        type: 'merge',
        value: {
          status: {
            addresses: [{ type: 'InternalIP', address }],
            daemonEndpoints: { kubeletEndpoint: { Port: listener.port } },
          },
        },
      },
      { subresource: 'status' },
    );
    await client.resource<Pod>(Pods).create({
      metadata: { name, namespace },
      spec: { nodeName: name, automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i:1' }] },
    });

    for (const path of [
      `/api/v1/namespaces/${namespace}/pods/${name}/log`,
      `/api/v1/nodes/${name}/proxy/metrics`,
      `/api/v1/nodes/https:${name}:${listener.port}/proxy/`,
    ]) {
      // kube-apiserver itself refuses to proxy to loopback.
      await expect(client.raw({ method: 'GET', path })).rejects.toThrow(new RegExp(`${reason}|not allowed`));
    }
    expect(listener.connections).toBe(0);
  });

  test.each(['127.0.0.1', '169.254.169.254', '10.9.0.1'])(
    'does not reach a pod that reports %s as its address',
    async (address) => {
      const pods = client.resource<Pod>(Pods);
      const name = `pod-${address.replaceAll('.', '-')}`;
      await pods.create({
        metadata: { name, namespace },
        spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i:1' }] },
      });
      const status = { podIP: address, podIPs: [{ ip: address }], phase: 'Running' };
      await pods.patch(name, { type: 'merge', value: { status } }, { namespace, subresource: 'status' });

      for (const target of [`${name}:${listener.port}`, `https:${name}:${listener.port}`]) {
        const path = `/api/v1/namespaces/${namespace}/pods/${target}/proxy/`;
        await expect(client.raw({ method: 'GET', path })).rejects.toThrow(
          /loopback or link-local|neither a node|not allowed/,
        );
      }
      expect(listener.connections).toBe(0);
    },
  );

  test.each([
    { title: 'by another name', spec: { type: 'ExternalName', externalName: REBINDING }, says: 'unsupported service' },
    { title: 'by a private address', address: '10.9.0.1', says: 'neither a node of the cluster nor a public address' },
    { title: 'by a node', address: '10.1.0.5', says: '10.1.0.5 may only be reached on ports 10250 and 4443' },
  ])('does not reach an aggregated API served $title', async ({ spec, address, says }) => {
    const { port } = listener;
    const metadata = { name: `elsewhere-${address?.replaceAll('.', '-') ?? 'named'}`, namespace };
    await client.resource<Service>(Services).create({ metadata, spec: { ports: [{ port }], ...spec } });
    if (address !== undefined) {
      const labels = { 'kubernetes.io/service-name': metadata.name };
      await client.resource<EndpointSlice>(EndpointSlices).create({
        metadata: { ...metadata, labels },
        addressType: 'IPv4',
        endpoints: [{ addresses: [address], conditions: { ready: true } }],
        ports: [{ name: '', port, protocol: 'TCP' }],
      });
    }
    const apiServices = client.resource<APIService>(APIServices);
    const name = 'v1.evil.example.org';
    await apiServices.create({
      metadata: { name },
      spec: {
        group: 'evil.example.org',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { name: metadata.name, namespace, port },
      },
    });

    const refused = ({ status }: APIService) =>
      status?.conditions?.some(({ message }) => message?.includes(says)) ?? false;
    await eventuallyObject(apiServices, { name }, refused);
    await expect(client.raw({ method: 'GET', path: '/apis/evil.example.org/v1/things' })).rejects.toThrow(
      'unavailable',
    );
    await apiServices.delete(name);
    expect(listener.connections).toBe(0);
  });

  const OIDC = {
    issuerURL: `https://${REBINDING}`,
    clientID: 'kubernetes',
    usernameClaim: 'sub',
    signingAlgorithms: ['RS256' as const],
  };
  const withOidc = (oidc: typeof OIDC & { readonly certificateAuthority?: string }) => {
    cluster.spec = { ...cluster.spec, apiServer: { ...cluster.spec.apiServer, oidc } };
  };

  const isUnconfined = oidcVersionProblem(offered?.version ?? '1.0') !== undefined;

  test.skipIf(!isUnconfined)('does not contact a token issuer (skipped: a release from 1.34 on)', async () => {
    const before = pidsOf(cluster.folder)['kube-apiserver'];
    withOidc({ ...OIDC, issuerURL: `https://${REBINDING}:${listener.port}` });

    const state = await cluster.runtime.ensure(cluster.spec);

    expect(state).toMatchObject({ phase: 'Running', settingsProblem: expect.stringContaining('upgrade to 1.34') });
    expect(pidsOf(cluster.folder)['kube-apiserver']).toBe(before);
    expect(listener.connections).toBe(0);
  });

  test.skipIf(isUnconfined)('does not contact a token issuer whose name resolves to this machine', async () => {
    withOidc({ ...OIDC, issuerURL: `https://${REBINDING}:${listener.port}` });

    expect((await cluster.waitForState(isRunning)).settingsProblem).toBeUndefined();

    const log = () => readFileSync(join(cluster.folder, 'logs/kube-apiserver.log'), 'utf8');
    expect(log()).toMatch(/oidc.*127\.0\.0\.1 is a loopback or link-local address/);
    expect(listener.connections).toBe(0);
  });

  test('reports settings that it cannot start with, and changes nothing', async () => {
    const before = pidsOf(cluster.folder)['kube-apiserver'];
    withOidc({ ...OIDC, issuerURL: `https://${REBINDING}:${listener.port}`, certificateAuthority: 'not a pem' });

    const state = await cluster.runtime.ensure(cluster.spec);

    expect(state).toMatchObject({
      phase: 'Running',
      ready: true,
      settingsProblem: expect.stringContaining('spec.apiServer.oidc.certificateAuthority'),
    });
    expect(pidsOf(cluster.folder)['kube-apiserver']).toBe(before);
  });

  test.skipIf(isUnconfined)(
    'reverts settings that it cannot start with, no matter which Fairway manages it afterwards',
    async () => {
      withOidc({ ...OIDC, certificateAuthority: NEGATIVE_SERIAL });
      const isRecovered = ({ phase, settingsProblem }: ControlPlaneState) =>
        phase === 'Running' && settingsProblem !== undefined;

      const { settingsProblem } = await cluster.waitForState(isRecovered);

      expect(settingsProblem).toMatch(/kube-apiserver does not start with these settings: .*serial number/);
      expect((await configMaps().list({ namespace })).items.length).toBeGreaterThan(0);
      await cluster.runtime.ensure(cluster.spec);
      await cluster.runtime.detach();
      const before = pidsOf(cluster.folder);
      cluster.runtime = cluster.openRuntime();
      expect(await cluster.waitForState(isRecovered)).toMatchObject({ settingsProblem });
      expect(pidsOf(cluster.folder)).toEqual(before);
    },
  );

  test.skipIf(isUnconfined)('applies corrected settings', async () => {
    withOidc(OIDC);

    const isApplied = ({ phase, settingsProblem }: ControlPlaneState) =>
      phase === 'Running' && settingsProblem === undefined;
    expect(await cluster.waitForState(isApplied)).toMatchObject({ ready: true });
  });

  test('reaches addresses that the operator allows', async () => {
    await cluster.runtime.detach();
    const egress = { allowed: [`127.0.0.1/32:${listener.port}`], denied: [] };
    const allowed = await ProcessCluster.open(parent, assets, offered?.version ?? '', undefined, { network, egress });
    cluster.runtime = allowed.runtime;
    await cluster.waitForState(isRunning);
    await hook(`https://${REBINDING}:${listener.port}/`);

    const connected = listener.connected();
    await refusal();

    await connected;
    expect(listener.connections).toBeGreaterThan(0);
    await webhooks().delete('reach');
  });

  describe.skipIf(!isRoot)('a separate user for each control plane (skipped: not root)', () => {
    const statusOf = (pid: number | undefined) => readFileSync(`/proc/${pid}/status`, 'utf8');
    const idsOf = (pid: number | undefined) =>
      /^Uid:\t(\d+)\t(\d+)\t(\d+)\t(\d+)$/m.exec(statusOf(pid))?.slice(1).map(Number) ?? [];

    test('runs every program, without additional groups or a way to gain privileges', () => {
      const pids = pidsOf(cluster.folder);
      const [uid] = idsOf(pids.etcd);
      expect(uid).toBeGreaterThanOrEqual(1_900_000_000);

      for (const component of COMPONENTS) {
        const status = statusOf(pids[component]);
        expect(idsOf(pids[component])).toEqual([uid, uid, uid, uid]);
        expect(status).toContain(`Gid:\t${uid}\t${uid}\t${uid}\t${uid}\n`);
        expect(status).toMatch(/^Groups:\s*$/m);
        expect(status).toMatch(/^NoNewPrivs:\t1$/m);
        expect(status).toMatch(/^CapEff:\t0+$/m);
        expect(status).toMatch(/^CapPrm:\t0+$/m);
        expect(status).toContain(`Name:\t${component.slice(0, 15)}\n`);
      }
    });

    test('differs between control planes, so that none can read or write another’s files or end its processes', async () => {
      const other = { ...cluster.spec, cluster: { ...cluster.spec.cluster, uid: 'uid-2', namespace: 'other-team' } };
      const folder = join(parent, 'runtime/uid-2');
      const started = Promise.withResolvers<void>();
      cluster.runtime.onChange(
        (uid) => void (uid === 'uid-2' && pidsOf(folder)['kube-apiserver'] !== undefined && started.resolve()),
      );
      const state = await cluster.runtime.ensure(other);
      expect(state.phase).toBe('Starting');
      await started.promise;
      const [uid] = idsOf(pidsOf(folder).etcd);
      const [victim] = idsOf(pidsOf(cluster.folder).etcd);
      expect(uid).not.toBe(victim);

      const asOther = (...command: string[]) =>
        spawnSync(
          'setpriv',
          ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--no-new-privs', '--', ...command],
          // Runs in the directory, as the programs do, even if the user may not enter its parents.
          { cwd: cluster.folder, encoding: 'utf8' },
        );
      const files = execFileSync('find', ['.', '-not', '-type', 'l'], { cwd: cluster.folder, encoding: 'utf8' })
        .trim()
        .split('\n');
      expect(files).toEqual(
        expect.arrayContaining(['./record.json', './pki/sa.key', './etcd', './egress/cluster.sock', './etcd:0']),
      );
      for (const file of files) {
        expect({ file, code: asOther('test', '-r', file).status }).toEqual({ file, code: 1 });
        expect({ file, code: asOther('test', '-w', file).status }).toEqual({ file, code: 1 });
      }
      expect(asOther('cat', 'pki/sa.key')).toMatchObject({ stdout: '', stderr: expect.stringContaining('denied') });
      expect(asOther('kill', String(pidsOf(cluster.folder).etcd)).status).not.toBe(0);
    });

    test('cannot replace or read files that belong only to Fairway', () => {
      const uid = String(idsOf(pidsOf(cluster.folder).etcd)[0]);
      const asOwn = (script: string) =>
        spawnSync('setpriv', ['--reuid', uid, '--regid', uid, '--clear-groups', '--', 'sh', '-c', script], {
          cwd: cluster.folder,
          encoding: 'utf8',
        }).status;

      expect(asOwn('cat pki/sa.key')).toBe(0);
      for (const script of [
        'cat record.json',
        'rm -f record.json',
        'mv pki mine',
        'ls run',
        'echo 1 > pki/ca.crt',
        'ln -sf /etc/shadow config/egress.yaml',
        'rm -f logs/etcd.log',
      ]) {
        expect({ script, code: asOwn(script) }).not.toMatchObject({ code: 0 });
      }
    });
  });

  test('is recorded with its owner, and returned after use', async () => {
    if (!isRoot) return;
    const users = join(parent, 'runtime-users');
    expect(readdirSync(users).length).toBe(2);
    const removed = Promise.withResolvers<void>();
    cluster.runtime.onChange(
      (uid) => void (uid === CLUSTER_UID && readdirSync(users).length === 1 && removed.resolve()),
    );

    await cluster.runtime.remove(CLUSTER_UID);
    await removed.promise;

    expect(readdirSync(users).length).toBe(1);
  });
});
