import { ConditionType } from '@fairway/api/conditions';
import { identityOf } from '@fairway/api/identity';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Namespaces, Pods, Secrets } from '@fairway/kube/kinds/resources';
import { ServiceApi } from '@fairway/openstack/service-api';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { Crash } from '../testing/crash.ts';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway, type TestFairwayOptions } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const REINSTALL_TIME = '2030-01-01T00:00:00Z';
const LATER_TIME = '2030-01-02T00:00:00Z';
const REBUILD = { service: 'compute', method: 'POST', path: '/action$' } as const satisfies Partial<FaultInput>;
const QUOTA = { kind: 'answer', status: 413, message: 'Quota exceeded for metadata items.' } as const;
const LATENCY = { ...NO_LATENCY, lifecycle: { ...NO_LATENCY.lifecycle, rebuild: 45_000 } };

/** A cluster with one node; rebuilds take 45 s. */
async function start(options: Partial<TestFairwayOptions> = {}, pool: Parameters<TestFairway['createPool']>[0] = {}) {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const fairway = await TestFairway.start({
    clock,
    random: seededRandom(4_711),
    cloud: { latency: LATENCY },
    ...faults.options,
    ...options,
  });
  const cluster = await clock.during(fairway.readyCluster({ replicas: 1, healing: { enabled: false }, ...pool }));
  const name = (await fairway.machines())[0]?.metadata.name ?? '';
  const tenant = fairway.runtime.client(identityOf(cluster));
  const nodes = tenant.resource(tenantNodes);
  let rebuilds = 0;
  fairway.cloud.onServerDown((_, reason) => {
    if (reason === 'rebuilding') rebuilds++;
  });
  const machine = async () => (await fairway.machines()).find(({ metadata }) => metadata.name === name) as Machine;
  return {
    fairway,
    clock,
    faults,
    tenant,
    machine,
    servers: fairway.process.project.client.compute.servers,
    rebuilds: () => rebuilds,
    node: () => nodes.get(name),
    patchNode: (value: object) => nodes.patch(name, { type: 'merge', value }),
    ask: (spec: Partial<Machine['spec']> = { reinstallTime: REINSTALL_TIME }) =>
      fairway.patch(machines, name, { spec }),
    /** Waits until the machine is installed as specified. */
    installed: () => clock.during(fairway.until(machines, (all) => all.length === 1 && all.every(isInstalled), name)),
    said: async (type: ConditionType = ConditionType.Ready) =>
      findCondition((await machine()).status?.conditions, type),
    calls: () => fairway.cloud.calls.total,
    lock: async (serverID: string, action: 'lock' | 'unlock') => {
      const { session } = fairway.process.project.client;
      const api = new ServiceApi(session, 'compute', { name: 'compute', wanted: '2.93' });
      await api.send('POST', '/servers/{id}/action', { params: { id: serverID }, body: { [action]: null } });
    },
    /** What the node lifecycle controller reports for an unresponsive kubelet. */
    failKubelet: async () => {
      const value = { status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] } };
      await nodes.patch(name, { type: 'merge', value }, { subresource: 'status' });
    },
    /** A pod on the node, which does not stop without kubelet. */
    runPod: async (pod: string) => {
      await tenant.resource(Namespaces).create({ metadata: { name: 'default' }, spec: {} });
      const spec = { containers: [{ name: 'main', image: 'main' }], nodeName: name };
      await tenant.resource(Pods).create({ metadata: { name: pod, namespace: 'default' }, spec });
    },
    tokens: async () =>
      (await tenant.resource(Secrets).list({ namespace: 'kube-system' })).items.flatMap(({ metadata }) =>
        metadata.name?.startsWith('bootstrap-token-') ? [metadata.name] : [],
      ),
  };
}

/** The writes of a reinstallation: the machine's status, the cordon, tokens. */
const REINSTALL_PATHS = /\/(machines|nodes|secrets)(\/|\?|$)/;
/** The number of writes: the rebuild is between the fifth and the sixth. */
const WRITES = 12;

function isInstalled({ spec, status }: Machine): boolean {
  const { installed, reinstall, phase } = status ?? {};
  return (
    phase === 'Ready' &&
    reinstall === undefined &&
    installed?.image === spec.image &&
    installed.version === spec.version &&
    installed.reinstallTime === spec.reinstallTime
  );
}

describe('a machine to be reinstalled', () => {
  test('records its installed state from the start, and is not reinstalled', async () => {
    const { fairway, clock, machine, rebuilds } = await start();
    await using _ = fairway;

    await clock.pass(10 * MINUTE_MS);

    const { spec, status } = await machine();
    expect(status?.installed).toEqual({ serverID: status?.serverID, image: spec.image, version: spec.version });
    expect(rebuilds()).toBe(0);
  });

  test('keeps its server, address and Node, is given a new disk, and becomes Ready again', async () => {
    const { fairway, clock, machine, node, patchNode, rebuilds, ask, installed, servers, tokens } = await start();
    await using _ = fairway;
    await patchNode({ metadata: { labels: { team: 'blue' } } });
    const before = await machine();
    const previousNode = await node();
    const phases = [before.status?.phase];

    await ask();
    for (let second = 0; second < 120; second++) {
      await clock.pass(1_000);
      const { status } = await machine();
      if (phases.at(-1) !== status?.phase) phases.push(status?.phase);
    }
    await installed();

    const { spec, status } = await machine();
    expect(phases).toEqual(['Ready', 'Installing', 'Ready']);
    expect(rebuilds()).toBe(1);
    expect(status).toMatchObject({
      serverID: before.status?.serverID,
      addresses: before.status?.addresses,
      installed: { image: spec.image, version: spec.version, reinstallTime: REINSTALL_TIME },
      lastOperation: { type: 'Reinstall', state: 'Succeeded', progress: 100 },
    });
    expect(status).not.toHaveProperty('startup');
    expect(status?.readyTime).not.toBe(before.status?.readyTime);
    expect(status?.conditions?.map(({ type }) => type)).not.toContain('Installed');
    const updatedNode = await node();
    expect(updatedNode.metadata).toMatchObject({ uid: previousNode.metadata.uid, labels: { team: 'blue' } });
    expect(updatedNode.spec?.unschedulable ?? false).toBe(false);
    expect(updatedNode.status?.nodeInfo?.bootID).not.toBe(previousNode.status?.nodeInfo?.bootID);
    const { metadata } = await servers.get(status?.serverID ?? '');
    expect(metadata).toMatchObject({ 'fairway.dev.cluster': 'demo', 'fairway.dev.version': spec.version });
    expect(await tokens()).toEqual([]);
  });

  test.each([{ cordoned: true }, { cordoned: false }])(
    'leaves a user’s cordon as it was ($cordoned)',
    async ({ cordoned }) => {
      const { fairway, node, patchNode, ask, installed } = await start();
      await using _ = fairway;
      await patchNode({ spec: { unschedulable: cordoned } });

      await ask();
      await installed();

      expect((await node()).spec?.unschedulable ?? false).toBe(cordoned);
    },
  );

  test('waits for a PodDisruptionBudget only until the pool’s drain timeout', async () => {
    const strategy = { upgradeStrategy: { type: 'InPlace' as const, drainTimeout: '5m' } };
    const { fairway, clock, faults, machine, node, rebuilds, ask, installed, runPod, said } = await start({}, strategy);
    await using _ = fairway;
    await runPod('database-0');
    faults.blocksEvictions = true;

    await ask();
    await clock.pass(4 * MINUTE_MS);

    expect((await machine()).status).toMatchObject({
      phase: 'Draining',
      lastOperation: { type: 'Reinstall', state: 'Processing', progress: 20 },
    });
    for (const type of [ConditionType.Ready, ConditionType.Installed]) {
      expect(await said(type)).toMatchObject({
        status: 'False',
        reason: 'PodDisruptionBudget',
        message: expect.stringMatching(
          /^a PodDisruptionBudget blocks the eviction of default\/database-0: .*; the server is reinstalled by \S+Z at the latest(; since \S+Z)?$/,
        ),
      });
    }
    expect(await said(ConditionType.NodeReady)).toMatchObject({ status: 'True' });
    expect((await node()).spec?.unschedulable).toBe(true);
    expect(rebuilds()).toBe(0);
    await installed();
    expect(rebuilds()).toBe(1);
  });

  test('does not wait for pods that a dead kubelet cannot stop', async () => {
    const { fairway, clock, machine, rebuilds, ask, runPod, failKubelet } = await start();
    await using _ = fairway;
    await runPod('web-0');
    await failKubelet();

    await ask();
    await clock.pass(30_000);

    expect((await machine()).status?.phase).toBe('Installing');
    expect(rebuilds()).toBe(1);
  });

  test('reports a node that does not come back, with its console output, and is reinstalled again on request', async () => {
    const { fairway, clock, machine, rebuilds, ask, said } = await start();
    await using _ = fairway;
    fairway.joinsNodes = false;

    await ask();
    await clock.pass(12 * MINUTE_MS);

    expect(await said()).toMatchObject({
      reason: 'NodeStartupTimeout',
      message: expect.stringMatching(
        /^the server has not joined the cluster as a node for 10 min; .*end of its console output: /,
      ),
    });
    const { status } = await machine();
    expect(status).toMatchObject({ phase: 'Installing', reinstall: {}, notReadyTime: status?.startup?.timedOutTime });
    fairway.joinsNodes = true;
    await ask({ reinstallTime: LATER_TIME });
    await clock.pass(2 * MINUTE_MS);
    expect(isInstalled(await machine())).toBe(true);
    expect((await machine()).status).not.toHaveProperty('notReadyTime');
    expect(rebuilds()).toBe(2);
  });

  test('applies a different spec once the cloud has finished the first rebuild', async () => {
    const { fairway, clock, machine, rebuilds, ask, installed } = await start();
    await using _ = fairway;
    await ask();
    await clock.pass(20_000);

    await ask({ reinstallTime: LATER_TIME });
    await installed();

    expect((await machine()).status?.installed).toMatchObject({ reinstallTime: LATER_TIME });
    expect(rebuilds()).toBe(2);
  });

  test('is unchanged if the spec is reverted before the cloud is called', async () => {
    const { fairway, clock, faults, machine, node, rebuilds, ask, installed, runPod } = await start();
    await using _ = fairway;
    await runPod('database-0');
    faults.blocksEvictions = true;
    await ask();
    await clock.pass(10_000);

    await fairway.patch(machines, (await machine()).metadata.name ?? '', { spec: { reinstallTime: null } });
    await installed();

    expect((await node()).spec?.unschedulable ?? false).toBe(false);
    expect(rebuilds()).toBe(0);
  });
});

describe('a server being reinstalled', () => {
  test('is started if it was SHUTOFF', async () => {
    const { fairway, clock, machine, servers, ask, installed, said } = await start();
    await using _ = fairway;
    await servers.stop((await machine()).status?.serverID ?? '');
    await clock.pass(2 * MINUTE_MS);
    const message = await said();

    await ask();
    await installed();

    expect(message).toMatchObject({
      reason: 'ServerStopped',
      message: expect.stringMatching(
        /^the server is SHUTOFF, and Fairway did not stop it: openstack server start \S+; since \S+Z$/,
      ),
    });
    expect((await machine()).status).toMatchObject({ serverStatus: 'ACTIVE' });
  });

  test('is kept and reported if it ends in ERROR, and can be reinstalled again', async () => {
    const { fairway, clock, machine, rebuilds, ask, installed, said } = await start();
    await using _ = fairway;
    const { serverID } = (await machine()).status ?? {};
    fairway.cloud.faults.add({ action: { kind: 'serverError', message: 'the disk is full' } });

    await ask();
    await clock.pass(2 * MINUTE_MS);
    const message = await said();
    await ask({ reinstallTime: LATER_TIME });
    await installed();

    expect(message).toMatchObject({
      reason: 'ServerFailed',
      message: expect.stringMatching(/^the server failed during reinstallation: the disk is full; since \S+Z$/),
    });
    expect((await machine()).status?.serverID).toBe(serverID);
    expect(rebuilds()).toBe(2);
  });

  test('is reported if it is locked, and reinstalled once it is unlocked', async () => {
    const { fairway, clock, machine, ask, installed, said, lock } = await start();
    await using _ = fairway;
    const serverID = (await machine()).status?.serverID ?? '';
    await lock(serverID, 'lock');

    await ask();
    await clock.pass(MINUTE_MS);
    const message = await said();
    await lock(serverID, 'unlock');
    await installed();

    expect(message).toMatchObject({
      reason: 'ServerLocked',
      message: expect.stringContaining(`the server is locked: openstack server unlock ${serverID}; since `),
    });
  });

  test('is rebuilt once, regardless of what a tenant does to its metadata', async () => {
    const { fairway, clock, machine, servers, rebuilds, ask } = await start();
    await using _ = fairway;
    const serverID = (await machine()).status?.serverID ?? '';
    await ask();

    for (let second = 0; second < 120; second++) {
      await servers.setMetadata(serverID, { mine: String(second) });
      await clock.pass(1_000);
    }

    expect(isInstalled(await machine())).toBe(true);
    expect(rebuilds()).toBe(1);
  });

  test('needs at most eight calls to the cloud', async () => {
    const { fairway, clock, machine, ask, calls } = await start();
    await using _ = fairway;
    await clock.pass(5 * MINUTE_MS);
    const before = calls();
    await clock.pass(2 * MINUTE_MS);
    const idleCalls = calls() - before;

    await ask();
    await clock.pass(2 * MINUTE_MS);

    expect(isInstalled(await machine())).toBe(true);
    expect(calls() - before - 2 * idleCalls).toBeLessThanOrEqual(8);
  });
});

describe('a rebuild that fails', () => {
  test.each<{ reason: string; action: FaultInput['action']; readyCondition: string; message: RegExp }>([
    { reason: '500', action: { kind: 'answer', status: 500 }, readyCondition: 'CloudUnavailable', message: /./ },
    {
      reason: '403',
      action: { kind: 'answer', status: 403 },
      readyCondition: 'PermissionDenied',
      message: /role member/,
    },
    { reason: '400', action: { kind: 'answer', status: 400 }, readyCondition: 'ConfigurationInvalid', message: /./ },
    {
      reason: '409',
      action: { kind: 'answer', status: 409 },
      readyCondition: 'WaitingForServer',
      message: /cannot reinstall/,
    },
    { reason: '413', action: QUOTA, readyCondition: 'QuotaExceeded', message: /./ },
    { reason: 'a broken connection', action: { kind: 'drop' }, readyCondition: 'CloudUnavailable', message: /./ },
  ])('is reported, costs few calls and writes, and continues after an hour of $reason', async (testCase) => {
    const { fairway, clock, faults, machine, rebuilds, ask, installed, said, calls } = await start();
    await using _ = fairway;
    fairway.cloud.faults.add({ ...REBUILD, times: null, action: testCase.action });
    await ask();
    await clock.pass(20 * MINUTE_MS);
    const before = { calls: calls(), writes: faults.writes };

    await clock.pass(60 * MINUTE_MS);

    expect(await said(ConditionType.Installed)).toMatchObject({
      status: 'False',
      reason: testCase.readyCondition,
      message: expect.stringMatching(testCase.message),
    });
    expect((await machine()).status?.lastOperation).toMatchObject({ type: 'Reinstall' });
    expect(calls() - before.calls).toBeLessThan(180);
    expect(faults.writes - before.writes).toBeLessThan(60);
    expect(rebuilds()).toBe(0);
    fairway.cloud.faults.clear();
    await installed();
    expect(rebuilds()).toBe(1);
  });

  test.each<{ reason: string; action: FaultInput['action'] }>([
    { reason: 'was lost', action: { kind: 'drop', when: 'after' } },
    { reason: 'is a 500 although the rebuild happened', action: { kind: 'answer', status: 500, when: 'after' } },
    { reason: 'comes late', action: { kind: 'delay', delayMs: 20_000, when: 'after' } },
    { reason: 'is lost with the request', action: { kind: 'drop' } },
  ])('happens only once if its response $reason', async ({ action }) => {
    const { fairway, machine, rebuilds, ask, installed } = await start();
    await using _ = fairway;
    fairway.cloud.faults.add({ ...REBUILD, action });

    await ask();
    await installed();

    expect(rebuilds()).toBe(1);
    expect(isInstalled(await machine())).toBe(true);
  });
});

describe('a reinstallation', () => {
  test('happens only once, regardless of the number of events', async () => {
    const { fairway, clock, machine, patchNode, rebuilds, ask } = await start();
    await using _ = fairway;
    const { name = '' } = (await machine()).metadata;
    await ask();

    for (let event = 0; event < 240; event++) {
      const annotations = { event: String(event) };
      await fairway.patch(machines, name, { metadata: { annotations } });
      await patchNode({ metadata: { annotations } });
      await clock.pass(500);
    }

    expect(isInstalled(await machine())).toBe(true);
    expect(rebuilds()).toBe(1);
  });

  test.each(Array.from({ length: WRITES }, (_, index) => ({ nth: index + 1 })))(
    'happens once after a crash at write $nth',
    async ({ nth }) => {
      const crash = new Crash(REINSTALL_PATHS);
      const { fairway, clock, machine, node, rebuilds, ask, installed, tokens } = await start(crash.options);
      await using _ = fairway;
      crash.afterWrites(nth, () => fairway.cloud.faults.add({ times: null, action: { kind: 'drop' } }));
      await ask();
      await clock.pass(MINUTE_MS);
      expect(crash.hasOccurred).toBe(true);
      expect(rebuilds()).toBe(nth > 5 ? 1 : 0);

      await fairway.stopProcess();
      crash.end();
      fairway.cloud.faults.clear();
      await fairway.startProcess();
      await installed();

      expect(rebuilds()).toBe(1);
      expect((await node()).spec?.unschedulable ?? false).toBe(false);
      expect(await tokens()).toEqual([]);
      expect(isInstalled(await machine())).toBe(true);
    },
  );
});
