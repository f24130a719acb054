import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { resourcePath } from '@fairway/kube/client/resource-path';
import { RoleBindings } from '@fairway/kube/kinds/resources';
import { apiVersionOf, type KubeObject, type ResourceType } from '@fairway/kube/object/meta';
import { Home } from '@fairway/service/up/home';
import { type SimulatedCloud, startSimulatedCloud } from '@fairway/service/up/simulated-cloud';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import { type ManagementCluster, startManagementCluster } from './management/management-cluster.ts';
import { RunningReplica } from './management-gateway/running-replica.ts';
import { killControlPlanes } from './replicas/kill-control-planes.ts';
import { ShardWatch } from './replicas/shard-watch.ts';
import { OtlpReceiver } from './traces/otlp-receiver.ts';

const [binaries] = findBinaries();
const version = binaries?.version ?? '(skipped: there is no kube-apiserver at hand)';
const POLL_OPTIONS = { interval: 250 };
const NAMESPACE = 'default';
const CLIENT_SPAN = '00f067aa0ba902b7';
/** The home that both replicas share. */
const homeOf = ({ folder }: ManagementCluster) => join(folder, 'home');

/** Each case continues from the previous one. */
describe.skipIf(binaries === undefined)(`traces of replicas in front of kube-apiserver ${version}`, () => {
  let management: ManagementCluster;
  let simulated: SimulatedCloud;
  let receiver: OtlpReceiver;
  let shards: ShardWatch;
  let admin: KubeClient;
  /** A client for the first replica's gateway. */
  let alice: KubeClient;
  let first: RunningReplica;
  let second: RunningReplica;

  beforeAll(async () => {
    if (binaries === undefined) return;
    management = await startManagementCluster(binaries);
    admin = management.adminClient();
    receiver = await OtlpReceiver.open();
    const home = new Home(join(management.folder, 'cloud'));
    home.create();
    const cloudOptions = { home, clock: systemClock, random: Math.random, log: silentLogger, latency: 'none' } as const;
    simulated = await startSimulatedCloud(cloudOptions);
    simulated.startNodes();
    shards = new ShardWatch(admin);
    process.env['OS_CLIENT_CONFIG_FILE'] = home.cloudsYaml;
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = receiver.url;
    process.env['OTEL_TRACES_SAMPLER'] = 'parentbased_always_off';
    const start = () => {
      const options = ['--listen', '127.0.0.1:0', '--cloud', 'simulator'];
      return RunningReplica.start(management.kubeconfigs.controllers, homeOf(management), ...options);
    };
    first = await start();
    second = await start();
    await shards.waitUntilShared([identityOf(first), identityOf(second)]);
    await admin.resource(RoleBindings).create({
      metadata: { name: 'members', namespace: NAMESPACE },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fairway-member' },
      subjects: [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }],
    });
    const certificate = await management.plane.pki.clientCertificate('alice', []);
    const certificateAuthority = first.gatewayAuthority;
    const transport = { server: first.url, certificateAuthority, clientCertificate: () => certificate };
    alice = new KubeClient(new HttpsTransport(transport));
  }, 240_000);

  afterAll(async () => {
    alice?.close();
    await shards?.stop();
    await second?.[Symbol.asyncDispose]();
    await first?.[Symbol.asyncDispose]();
    if (management !== undefined) await killControlPlanes(homeOf(management));
    await simulated?.close();
    await receiver?.close();
    admin?.close();
    await management?.[Symbol.asyncDispose]();
  });

  const identityOf = ({ output }: RunningReplica) => /^ {2}replica +(\S+)/m.exec(output)?.[1] ?? '';
  const nameOf = (replica: RunningReplica, prefix: string) =>
    shards.namesOf(identityOf(replica), { namespace: NAMESPACE, prefix, count: 1 })[0] ?? '';
  const create = <T extends KubeObject>(trace: string, type: ResourceType<T>, object: T) =>
    alice.raw({
      method: 'POST',
      path: resourcePath(type, { namespace: NAMESPACE }),
      headers: { 'content-type': 'application/json', traceparent: `00-${trace}-${CLIENT_SPAN}-01` },
      body: JSON.stringify({ apiVersion: apiVersionOf(type), kind: type.kind, ...object }),
    });
  const createCluster = async (trace: string, name: string) => {
    await create(trace, clusters, { metadata: { name }, spec: { plan: 'free' } } as Cluster);
    const spec = { clusterName: name, flavor: 'b3-8', replicas: 1 };
    await create(trace, nodePools, { metadata: { name }, spec } as NodePool);
  };
  /** Spans of a trace by name, with the replica that sent them. */
  const sent = (trace: string, name: string) =>
    receiver.spans.filter((span) => span.traceId === trace && span.name === name).map(({ instance }) => instance);

  /** Names of the trace's spans whose parent has not been sent. */
  const orphanSpanNames = (trace: string) => {
    const traceSpans = receiver.spans.filter(({ traceId }) => traceId === trace);
    const known = new Set([CLIENT_SPAN, ...traceSpans.map(({ spanId }) => spanId)]);
    return traceSpans.filter(({ parentSpanId }) => !known.has(parentSpanId ?? '')).map(({ name }) => name);
  };

  test('contain the write that one replica accepts and the server that another creates', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    await createCluster(trace, nameOf(second, 'other'));

    await expect.poll(() => sent(trace, 'POST /servers'), POLL_OPTIONS).toHaveLength(1);
    await expect.poll(() => sent(trace, 'create clusters.fairway.dev'), POLL_OPTIONS).toHaveLength(1);

    expect(sent(trace, 'create clusters.fairway.dev')).toEqual([identityOf(first)]);
    expect(sent(trace, 'POST /servers')).toEqual([identityOf(second)]);
    expect(sent(trace, 'POST /networks')).toEqual([identityOf(second)]);
    // A span is sent once it has ended, so a parent arrives after its children.
    await expect.poll(() => orphanSpanNames(trace), POLL_OPTIONS).toEqual([]);
  }, 240_000);

  test('continue on another replica when one is killed partway through', async () => {
    const trace = '5cf92f3577b34da6a3ce929d0e0e4737';
    const name = nameOf(second, 'late');
    const fault = simulated.cloud.faults.add({
      service: 'compute',
      method: 'POST',
      path: '/servers$',
      times: null,
      action: { kind: 'answer', status: 503 },
    });
    await createCluster(trace, name);
    const isCreated = async () => {
      const { items } = await admin.resource(machines).list({ namespace: NAMESPACE });
      return items.some(({ spec }) => spec.clusterName === name);
    };
    await expect.poll(isCreated, POLL_OPTIONS).toBe(true);
    await expect.poll(() => sent(trace, 'POST /servers').length, POLL_OPTIONS).toBeGreaterThan(0);
    await second.kill();
    simulated.cloud.faults.remove(fault);

    const serversByFirst = () => sent(trace, 'POST /servers').filter((instance) => instance === identityOf(first));
    await expect.poll(() => serversByFirst().length, POLL_OPTIONS).toBeGreaterThan(0);

    expect(sent(trace, 'reconcile machine')).toContain(identityOf(first));
  }, 240_000);
});
