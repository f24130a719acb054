import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLOUD_ANNOTATION, PAUSED_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { ClusterRoleBindings, Namespaces } from '@fairway/kube/kinds/resources';
import { Home } from '@fairway/service/up/home';
import { type SimulatedCloud, startSimulatedCloud } from '@fairway/service/up/simulated-cloud';
import { findBinaries } from '../tests/contract/kubernetes/binaries.ts';
import { startManagementCluster } from '../tests/management/management-cluster.ts';
import { RunningReplica } from '../tests/management-gateway/running-replica.ts';
import type { EntryPointsReady } from './entry-points/fairway-process.ts';
import { type EntryPoint, type Load, measureInTurn } from './entry-points/measure-load.ts';
import { consoleCookies, fetchResponse, newEntryPoint, TENANT, tenantTokens } from './entry-points/tenant-sessions.ts';
import { type Figure, formatFigures } from './figures.ts';

const SESSIONS = 10;
const CONCURRENCY = 16;
const REQUESTS = Number(process.env['ENTRY_POINTS_REQUESTS'] ?? 3_000);
const ROUNDS = 3;
const NAME = 'asked-for';
/** Goal for calls to Keystone per thousand requests. */
const KEYSTONE_GOAL = { kind: 'at-most', value: 5 } as const;

/**
 * Measures the cost of authentication: requests for one small object through each entry point, and through the API with
 * a client certificate.
 */
export async function benchEntryPoints(print: (text: string) => void): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-entry-points-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const home = new Home(join(folder, 'cloud'));
  home.create();
  const cloudOptions = { home, clock: systemClock, random: Math.random, log: silentLogger, latency: 'none' } as const;
  const simulated = await startSimulatedCloud(cloudOptions);
  stack.defer(() => simulated.close());
  const tenant = await tenantTokens(home.cloudsYaml, SESSIONS);
  const shared = { folder, home, simulated, tenant };
  for (const measure of [measureEmbedded, measureGateway]) {
    const report = await measure(shared, print);
    if (report) print(formatFigures(report.title, report.figures));
  }
}

interface SharedContext {
  readonly folder: string;
  /** Home of the simulated cloud. */
  readonly home: Home;
  readonly simulated: SimulatedCloud;
  readonly tenant: Awaited<ReturnType<typeof tenantTokens>>;
}

interface EntryPointReport {
  readonly title: string;
  readonly figures: readonly Figure[];
}

/** The entry points of `fairway up`. */
async function measureEmbedded({ folder, home, simulated, tenant }: SharedContext): Promise<EntryPointReport> {
  await using stack = new AsyncDisposableStack();
  const own = join(folder, 'fairway');
  const child = fork(join(import.meta.dirname, 'entry-points/fairway-process.ts'), [own, home.cloudsYaml]);
  stack.defer(async () => {
    const exitEvent = once(child, 'exit');
    child.kill();
    await exitEvent;
  });
  const [{ url, magnumUrl }] = (await once(child, 'message')) as [EntryPointsReady];
  const { transport } = await loadKubeConnection({ path: new Home(own).kubeconfig });
  const admin = new KubeClient(new HttpsTransport(transport));
  stack.defer(() => admin.close());
  const { certificateAuthority } = transport;
  const server = { server: url, ...(certificateAuthority !== undefined && { certificateAuthority }) };
  const magnum = { ...server, server: magnumUrl };
  const path = await prepare(admin, server, tenant);
  const pids = [child.pid ?? 0];
  const magnumHeaders = tenant.tokens.map((token) => ({
    'x-auth-token': token,
    'openstack-api-version': 'container-infra latest',
  }));
  const [firstHeaders = {}] = magnumHeaders;
  const uuid = await magnumUuid(magnum, firstHeaders);
  const entryPoints = [
    newEntryPoint({ name: 'API, client certificate', pids, server: transport, path }, [{}]),
    newEntryPoint({ name: 'API, token of Keystone', pids, server, path }, tenant.tokens.map(bearer)),
    newEntryPoint({ name: 'console', pids, server, path }, await consoleCookies(server, home.cloudsYaml, SESSIONS)),
    newEntryPoint({ name: 'Magnum', pids, server: magnum, path: `/v1/clusters/${uuid}` }, magnumHeaders),
  ];
  for (const entryPoint of entryPoints) stack.defer(() => entryPoint.close());
  return { title: 'Entry points of `fairway up`', figures: await figuresOf(entryPoints, simulated) };
}

/** The gateway in front of a management cluster, compared with that cluster's own API server. */
async function measureGateway(
  { folder, home, simulated, tenant }: SharedContext,
  print: (text: string) => void,
): Promise<EntryPointReport | undefined> {
  const [binaries] = findBinaries();
  if (binaries === undefined) {
    print('No gateway: kube-apiserver and etcd not found in KUBEBUILDER_ASSETS or on PATH.\n');
    return undefined;
  }
  await using stack = new AsyncDisposableStack();
  const management = stack.use(await startManagementCluster(binaries));
  const admin = management.adminClient();
  stack.defer(() => admin.close());
  await admin.resource(ClusterRoleBindings).create({
    metadata: { name: 'fairway-keystone' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-keystone' },
    subjects: [{ kind: 'ServiceAccount', name: 'fairway', namespace: 'fairway-system' }],
  });
  process.env['OS_CLIENT_CONFIG_FILE'] = home.cloudsYaml;
  const replica = stack.use(
    await RunningReplica.start(
      management.kubeconfigs.controllers,
      join(folder, 'replica'),
      '--listen=127.0.0.1:0',
      '--cloud=simulator',
      '--keystone=simulator-service',
    ),
  );
  const { transport } = await loadKubeConnection({ path: management.kubeconfigs.admin });
  const server = { server: replica.url, certificateAuthority: replica.gatewayAuthority };
  const path = await prepare(admin, server, tenant);
  const entryPoints = [
    newEntryPoint(
      { name: `kube-apiserver ${binaries.version}, client certificate`, pids: [], server: transport, path },
      [{}],
    ),
    newEntryPoint({ name: 'gateway, token of Keystone', pids: [replica.pid], server, path }, tenant.tokens.map(bearer)),
    newEntryPoint(
      { name: 'console at the gateway', pids: [replica.pid], server, path },
      await consoleCookies(server, home.cloudsYaml, SESSIONS),
    ),
  ];
  for (const entryPoint of entryPoints) stack.defer(() => entryPoint.close());
  return { title: 'Entry points of `fairway serve`', figures: await figuresOf(entryPoints, simulated) };
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

/** Creates a paused cluster for the tenant, and returns its path; the first request creates the tenant's namespace. */
async function prepare(
  admin: KubeClient,
  server: { readonly server: string; readonly certificateAuthority?: string },
  { tokens: [token = ''], projectId }: SharedContext['tenant'],
): Promise<string> {
  const namespace = projectId;
  const transport = new HttpsTransport(server);
  const path = `/apis/fairway.dev/v1alpha1/namespaces/${namespace}/clusters`;
  await fetchResponse(transport, { method: 'GET', path, headers: bearer(token) });
  const value = { metadata: { annotations: { [CLOUD_ANNOTATION]: TENANT } } };
  await admin.resource(Namespaces).patch(namespace, { type: 'merge', value });
  const cluster: NewCluster = {
    metadata: { namespace, name: NAME, annotations: { [PAUSED_ANNOTATION]: 'true' } },
    spec: { plan: 'free' },
  };
  await admin.resource(clusters).create(cluster as Cluster);
  const { status, text } = await fetchResponse(transport, {
    method: 'GET',
    path: `${path}/${NAME}`,
    headers: bearer(token),
  });
  transport.close();
  if (status !== 200) throw new Error(`the tenant's cluster: ${status} ${text}`);
  return `${path}/${NAME}`;
}

async function magnumUuid(
  server: { readonly server: string; readonly certificateAuthority?: string },
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const transport = new HttpsTransport(server);
  const { text } = await fetchResponse(transport, { method: 'GET', path: '/v1/clusters', headers });
  transport.close();
  const { clusters: listed } = JSON.parse(text) as { clusters: readonly { readonly uuid: string }[] };
  return listed[0]?.uuid ?? '';
}

/** Measures all entry points; the first one needs no login. */
async function figuresOf(entryPoints: readonly EntryPoint[], simulated: SimulatedCloud): Promise<readonly Figure[]> {
  const before = keystoneCalls(simulated);
  const loads = await measureInTurn(entryPoints, ROUNDS, {
    requests: REQUESTS,
    sessions: SESSIONS,
    concurrency: CONCURRENCY,
  });
  const calls = keystoneCalls(simulated) - before;
  const keystoneRequests = ROUNDS * REQUESTS * (entryPoints.length - 1);
  const name = `calls to Keystone for 1,000 requests, ${SESSIONS} tokens through each entry point`;
  return [
    ...entryPoints.flatMap((entryPoint) => entryPointFigures(entryPoint, loads.get(entryPoint))),
    { name, unit: '', value: (calls * 1_000) / keystoneRequests, goal: KEYSTONE_GOAL },
  ];
}

function entryPointFigures({ name, pids }: EntryPoint, load: Load | undefined): readonly Figure[] {
  if (load === undefined) return [];
  return [
    { name: `${name}: requests`, unit: '1/s', value: load.perSecond },
    { name: `${name}: half of them within`, unit: 'ms', value: load.p50Ms },
    { name: `${name}: 99 % within`, unit: 'ms', value: load.p99Ms },
    ...(pids.length === 0
      ? []
      : [{ name: `${name}: CPU of Fairway per request`, unit: 'ms', value: load.cpuMsPerRequest }]),
  ];
}

/** Counts Fairway's calls, including its own logins. Tenants have already signed in. */
function keystoneCalls({ cloud }: SimulatedCloud): number {
  return cloud.calls
    .counts()
    .filter(({ service, userAgent }) => service === 'identity' && userAgent.startsWith('fairway'))
    .reduce((sum, { count }) => sum + count, 0);
}
