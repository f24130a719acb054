import type { ConditionReason } from '@fairway/api/conditions';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import type { Cloud } from '@fairway/simulator/cloud';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

const POOL = { replicas: 2, antiAffinity: true, floatingIPs: { enabled: true } };
/** The cloud's contents for a cluster with such a pool, in addition to its external network and subnet. */
const ALL_CREATED = {
  servers: 2,
  server_groups: 1,
  networks: 2,
  subnets: 2,
  routers: 1,
  security_groups: 1,
  floating_ips: 2,
};

type Call = Pick<FaultInput, 'service' | 'method' | 'path'>;

/** Every call that creates or changes something for such a cluster. */
const WRITES: readonly Call[] = [
  { service: 'network', method: 'POST', path: '/networks$' },
  { service: 'network', method: 'POST', path: '/subnets$' },
  { service: 'network', method: 'POST', path: '/routers$' },
  { service: 'network', method: 'PUT', path: '/add_router_interface$' },
  { service: 'network', method: 'POST', path: '/security-groups$' },
  { service: 'network', method: 'POST', path: '/security-group-rules$' },
  { service: 'network', method: 'POST', path: '/floatingips$' },
  { service: 'compute', method: 'POST', path: '/os-server-groups$' },
  { service: 'compute', method: 'POST', path: '/servers$' },
];
const DELETE_CALLS: readonly Call[] = [
  { service: 'network', method: 'DELETE', path: '/networks/' },
  { service: 'network', method: 'DELETE', path: '/routers/' },
  { service: 'network', method: 'PUT', path: '/remove_router_interface$' },
  { service: 'network', method: 'DELETE', path: '/security-groups/' },
  { service: 'network', method: 'DELETE', path: '/floatingips/' },
  { service: 'compute', method: 'DELETE', path: '/os-server-groups/' },
  { service: 'compute', method: 'DELETE', path: '/servers/' },
];

describe('every write fails once', () => {
  test.each<{ reason: string; action: FaultInput['action'] }>([
    { reason: '500 before the change', action: { kind: 'answer', status: 500 } },
    { reason: '503 before the change', action: { kind: 'answer', status: 503, retryAfterSeconds: 1 } },
    { reason: '409', action: { kind: 'answer', status: 409 } },
    { reason: '429 with Retry-After', action: { kind: 'answer', status: 429, retryAfterSeconds: 2 } },
    { reason: 'the connection breaks before the change', action: { kind: 'drop' } },
    { reason: 'the connection breaks after the change', action: { kind: 'drop', when: 'after' } },
    { reason: '500 after the change', action: { kind: 'answer', status: 500, when: 'after' } },
  ])('$reason: everything converges, nothing is duplicated or left over', async ({ action }) => {
    await using fairway = await TestFairway.start({ speed: 40 });
    const before = resourceCounts(fairway.cloud);
    for (const call of WRITES) fairway.cloud.faults.add({ ...call, action });

    await fairway.readyCluster(POOL);
    // A machine is Ready without its floating IP.
    await fairway.until(machines, (all) =>
      all.every(({ status }) => findCondition(status?.conditions, 'FloatingIPReady') === undefined),
    );
    const counts = resourceCounts(fairway.cloud);
    for (const call of DELETE_CALLS) fairway.cloud.faults.add({ ...call, action });
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(counts).toMatchObject(ALL_CREATED);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });
});

interface Cause {
  readonly cause: string;
  readonly begin: (cloud: Cloud) => void;
  readonly end: (cloud: Cloud) => void;
  readonly kind: typeof clusters | typeof machines | typeof nodePools;
  readonly reason: ConditionReason;
  readonly message: RegExp;
}

const clear = (cloud: Cloud) => cloud.faults.clear();
const forever = { times: null } as const;

describe('a lasting cause is reported, and everything converges once it is resolved', () => {
  test.each<Cause>([
    {
      cause: 'no quota for servers',
      begin: (cloud) => cloud.setQuota('demo', { instances: 1 }),
      end: (cloud) => cloud.setQuota('demo', { instances: 10 }),
      kind: nodePools,
      reason: 'QuotaExceeded',
      message: /[Qq]uota exceeded/,
    },
    {
      cause: 'no quota for networks',
      begin: (cloud) => cloud.setQuota('demo', { network: 0 }),
      end: (cloud) => cloud.setQuota('demo', { network: 10 }),
      kind: clusters,
      reason: 'QuotaExceeded',
      message: /[Qq]uota exceeded/,
    },
    {
      cause: 'a flavor out of stock',
      begin: (cloud) => cloud.faults.add({ ...forever, action: { kind: 'outOfStock', flavor: 'b3-8' } }),
      end: clear,
      kind: machines,
      reason: 'FlavorOutOfStock',
      message: /No valid host.*another one will be created after a delay/,
    },
    {
      cause: 'servers that end in ERROR',
      begin: (cloud) => cloud.faults.add({ ...forever, action: { kind: 'serverError' } }),
      end: clear,
      kind: machines,
      reason: 'ServerFailed',
      message: /Build of instance aborted.*another one will be created after a delay/,
    },
    {
      cause: 'an unavailable cloud',
      begin: (cloud) => cloud.faults.add({ ...forever, action: { kind: 'drop' } }),
      end: clear,
      kind: clusters,
      reason: 'CloudUnavailable',
      message: /./,
    },
    {
      cause: 'an unavailable Nova',
      begin: (cloud) => cloud.faults.add({ ...forever, service: 'compute', action: { kind: 'answer', status: 503 } }),
      end: clear,
      kind: clusters,
      reason: 'CloudUnavailable',
      message: /compute/,
    },
    {
      cause: 'a Neutron that limits the request rate',
      begin: (cloud) =>
        cloud.faults.add({
          ...forever,
          service: 'network',
          action: { kind: 'answer', status: 429, retryAfterSeconds: 5 },
        }),
      end: clear,
      kind: clusters,
      reason: 'RateLimited',
      message: /network/,
    },
    {
      cause: 'a credential that is refused',
      begin: (cloud) => {
        cloud.faults.add({ ...forever, service: 'identity', method: 'POST', action: { kind: 'answer', status: 401 } });
        // A token may already exist.
        cloud.faults.add({ ...forever, service: 'network', action: { kind: 'answer', status: 401 } });
      },
      end: clear,
      kind: clusters,
      reason: 'CredentialInvalid',
      message: /renew it/,
    },
    {
      cause: 'a credential without permissions',
      begin: (cloud) =>
        cloud.faults.add({ ...forever, service: 'network', method: 'POST', action: { kind: 'answer', status: 403 } }),
      end: clear,
      kind: clusters,
      reason: 'PermissionDenied',
      message: /role member/,
    },
  ])('$cause: $reason', async ({ begin, end, kind, reason, message }) => {
    await using fairway = await TestFairway.start({ speed: 100 });
    begin(fairway.cloud);
    await fairway.createCluster();
    await fairway.createPool(POOL);

    await fairway.untilReported(kind, reason, message);
    end(fairway.cloud);
    await fairway.clusterReady();

    expect(resourceCounts(fairway.cloud)).toMatchObject(ALL_CREATED);
  });

  test('an expired token is renewed without being reported', async () => {
    await using fairway = await TestFairway.start({ cloud: { tokenLifetimeMs: 2_000 } });

    await fairway.readyCluster(POOL);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.poolReady();

    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 3 });
  });
});

describe('a request of a killed process that takes effect late', () => {
  test('a server that appears after its Machine was deleted is deleted', async () => {
    await using fairway = await TestFairway.start();
    const cluster = await fairway.readyCluster({ replicas: 1 });
    const { project } = fairway.process;
    const network = cluster.status?.network?.networkID ?? '';
    const [{ id: flavorRef = '' } = {}] = (await project.cache.flavors.refreshAfter(0)).items.values();
    const [{ id: imageRef = '' } = {}] = (await project.cache.images.refreshAfter(0)).items.values();
    const tags = ['fairway', `fairway-cluster-${cluster.metadata.uid}`, 'fairway-machine-of-old'];
    const late = { name: 'late', flavorRef, imageRef, networks: [{ uuid: network }], tags };
    const foreign = { ...late, name: 'foreign', tags: ['fairway', 'fairway-cluster-elsewhere', 'fairway-machine-x'] };

    await project.client.compute.servers.create(foreign);
    await project.client.compute.servers.create(late);
    project.cache.servers.invalidate();
    await fairway.until(Events, (events) => events.some(({ reason }) => reason === 'OrphanDeleted'));
    const listed = await Array.fromAsync(project.client.compute.servers.list());
    // Nova works asynchronously.
    const left = listed.filter((server) => server['OS-EXT-STS:task_state'] !== 'deleting');

    expect(left.map(({ name }) => name)).toContain('foreign');
    expect(left.map(({ name }) => name)).not.toContain('late');
  });

  test('a restart does not cause false reports', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 2 });
    await fairway.stopProcess();
    const before = await fairway.machines();
    const seen: string[] = [];
    const stop = new AbortController();
    const { metadata } = await fairway.client.resource(machines).list({ namespace: TEAM });
    const watching = (async () => {
      const from = { ...(metadata.resourceVersion && { resourceVersion: metadata.resourceVersion }), namespace: TEAM };
      for await (const { object } of fairway.client.resource(machines).watch({ ...from, signal: stop.signal })) {
        seen.push(`${object.status?.phase} ${object.status?.serverStatus}`);
      }
    })().catch(() => {});

    await fairway.startProcess();
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));
    stop.abort();
    await watching;

    expect(seen.filter((state) => state.startsWith('NotReady'))).toEqual([]);
    expect((await fairway.machines()).map(({ metadata }) => metadata.name)).toEqual(
      expect.arrayContaining(before.map(({ metadata }) => metadata.name)),
    );
  });

  test('Nova is down during a restart: machines keep their state', async () => {
    await using fairway = await TestFairway.start();
    await fairway.readyCluster({ replicas: 1 });
    await fairway.stopProcess();
    const fault = fairway.cloud.faults.add({
      service: 'compute',
      times: null,
      action: { kind: 'answer', status: 503 },
    });

    await fairway.startProcess();
    const [machine] = await fairway.until(
      machines,
      ([only]) => only?.status?.conditions?.some((c) => c.type === 'ServerReady' && c.status === 'Unknown') === true,
    );
    fairway.cloud.faults.remove(fault);

    expect(machine?.status).toMatchObject({ phase: 'Ready', serverStatus: 'ACTIVE' });
    await fairway.until(
      machines,
      ([only]) => only?.status?.conditions?.some((c) => c.type === 'ServerReady' && c.status === 'True') === true,
    );
  });

  test('a machine reports that it is waiting for the cloud until the first response', async () => {
    const slow = { ...NO_LATENCY, operations: { 'compute POST /v2.1/servers': 3_600_000 } };
    await using fairway = await TestFairway.start({ cloud: { latency: slow } });
    await fairway.createCluster();
    await fairway.createPool({ replicas: 1 });

    // Before that, it waits for the network.
    const isReported = (machine: Machine | undefined) =>
      findCondition(machine?.status?.conditions, 'Ready')?.reason === 'WaitingForServer';
    const [reportedMachine] = await fairway.until(machines, ([only]) => isReported(only));

    expect(reportedMachine?.status).toMatchObject({ phase: 'Pending', lastOperation: { state: 'Pending' } });
  });
});
