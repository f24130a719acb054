import { ConditionType } from '@fairway/api/conditions';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { describe, expect, test } from 'vitest';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;
const where = { namespace: TEAM };
const CONSOLE: FaultInput = {
  service: 'compute',
  method: 'POST',
  path: '/action$',
  times: null,
  action: { kind: 'drop' },
};

/** A cluster whose only server is ACTIVE and never becomes a node. */
async function startWithoutJoining(pool: Parameters<TestFairway['createPool']>[0] = {}, console = '') {
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const options = { clock, random: seededRandom(4_242), nodesJoin: false, ...faults.options };
  const fairway = await TestFairway.start(options);
  await fairway.createCluster();
  // Repair is disabled: it is not tested here.
  await fairway.createPool({ replicas: 1, healing: { enabled: false }, ...pool });
  const isActive = ([one]: readonly Machine[]) => one?.status?.serverStatus === 'ACTIVE';
  await clock.during(fairway.until(machines, isActive));
  const machine = async () => (await fairway.machines())[0] as Machine;
  const serverID = (await machine()).status?.serverID ?? '';
  if (console !== '') fairway.cloud.writeConsole(serverID, console);
  return {
    fairway,
    clock,
    faults,
    machine,
    cluster: () => fairway.client.resource(clusters).get('demo', where),
    pool: () => fairway.client.resource(nodePools).get('general', where),
    events: async () =>
      (await fairway.client.resource(Events).list(where)).items.filter(
        ({ reason, involvedObject }) => reason === 'NodeStartupTimeout' && involvedObject.kind === 'Machine',
      ),
    reads: () => fairway.cloud.calls.counts().filter(({ template }) => template.endsWith('/action')),
    join: async () => {
      const cluster = await fairway.clusterOf(await machine());
      await fairway.runtime.join(cluster.metadata.uid ?? '', (await machine()).metadata.name ?? '');
    },
  };
}

const ready = ({ status }: Machine | NodePool | Cluster) => findCondition(status?.conditions, ConditionType.Ready);

describe('a server that does not join', () => {
  test('is reported after ten minutes, on the machine, the pool and the cluster, with its console output', async () => {
    const consoleOutput = '\u001b[31mcloud-init: FAILED\u001b[0m to reach 192.0.2.7:6443\nkubelet: giving up\n';
    const { fairway, clock, machine, pool, cluster, events } = await startWithoutJoining({}, consoleOutput);
    await using _ = fairway;
    await clock.pass(9 * MINUTE_MS);
    const before = ready(await machine());

    await clock.pass(2 * MINUTE_MS);

    expect(before).toMatchObject({ reason: 'WaitingForNode' });
    const { status } = await machine();
    expect(status?.phase).toBe('Installing');
    expect(status?.startup?.console).toEqual(expect.arrayContaining(['kubelet: giving up']));
    expect(status?.notReadyTime).toBe(status?.startup?.timedOutTime);
    const readyCondition = ready(await machine());
    expect(readyCondition).toMatchObject({ status: 'False', reason: 'NodeStartupTimeout' });
    expect(readyCondition?.message).toMatch(
      /^the server has not joined the cluster as a node for 10 min; it has been ACTIVE since 2\S+Z\. Check its network \(can it reach https:\S+ and the Internet\?\), its image and cloud-init; end of its console output: /,
    );
    expect(readyCondition?.message).toMatch(
      /cloud-init: FAILED to reach 192\.0\.2\.7:6443 \| kubelet: giving up; since 2\S+Z$/,
    );
    expect((await events()).map(({ message, count = 1 }) => [message, count])).toEqual([
      [expect.stringContaining('kubelet: giving up'), 1],
    ]);
    for (const object of [await pool(), await cluster()]) {
      expect(object.status?.phase).toBe('Degraded');
      expect(ready(object)).toMatchObject({ reason: 'NodeStartupTimeout' });
      expect(ready(object)?.message).toContain(readyCondition?.message);
    }
  });

  test('is reported once: another hour costs no console call and no write', async () => {
    const { fairway, clock, faults, machine, reads } = await startWithoutJoining();
    await using _ = fairway;
    await clock.pass(12 * MINUTE_MS);
    const readyCondition = await machine();
    const readsBefore = reads();
    const writes = faults.writes;

    await clock.pass(60 * MINUTE_MS);

    expect((await machine()).status).toEqual(readyCondition.status);
    expect(reads()).toEqual(readsBefore);
    expect(readsBefore.map(({ count }) => count)).toEqual([1]);
    expect(faults.writes - writes).toBe(0);
  });

  test('has its console read once, even by a later process', async () => {
    const { fairway, clock, machine, reads, events } = await startWithoutJoining();
    await using _ = fairway;
    await clock.pass(12 * MINUTE_MS);
    const readyCondition = await machine();

    await fairway.stopProcess();
    await fairway.startProcess();
    await clock.pass(12 * MINUTE_MS);

    expect((await machine()).status?.startup).toEqual(readyCondition.status?.startup);
    expect(reads().map(({ count }) => count)).toEqual([1]);
    expect(await events()).toHaveLength(1);
  });

  test('becomes Ready if it eventually joins, and leaves no trace of the problem', async () => {
    const { fairway, clock, machine, join, cluster } = await startWithoutJoining();
    await using _ = fairway;
    await clock.pass(12 * MINUTE_MS);

    await join();
    await clock.during(fairway.until(clusters, (all) => all.every(isReady)));

    expect((await machine()).status).toMatchObject({ phase: 'Ready' });
    expect((await machine()).status).not.toHaveProperty('startup');
    expect((await machine()).status).not.toHaveProperty('notReadyTime');
    expect((await cluster()).status?.phase).toBe('Ready');
  });

  test.each([
    { reason: 'refuses to show the console', fault: { ...CONSOLE, action: { kind: 'answer', status: 403 } } },
    { reason: 'has no console', fault: { ...CONSOLE, action: { kind: 'answer', status: 404 } } },
    { reason: 'breaks the connection', fault: CONSOLE },
    { reason: 'does not respond', fault: { ...CONSOLE, action: { kind: 'delay', delayMs: 600_000 } } },
  ] satisfies { reason: string; fault: FaultInput }[])(
    'is reported without console output if the cloud $reason',
    async ({ fault }) => {
      const { fairway, clock, machine } = await startWithoutJoining();
      await using _ = fairway;
      fairway.cloud.faults.add(fault);

      await clock.pass(12 * MINUTE_MS);

      expect(ready(await machine())).toMatchObject({
        reason: 'NodeStartupTimeout',
        message: expect.stringMatching(/; its console output is not available; since 2\S+Z$/),
      });
    },
  );

  test('cannot harm readers of its console output', async () => {
    const hostileOutput = `${'\u001b]0;own\u0007\u202E\u0000<script>'.repeat(500)}\n${'x'.repeat(100_000)}\n\u001b[2J`;
    const { fairway, clock, machine, events } = await startWithoutJoining({}, hostileOutput);
    await using _ = fairway;

    await clock.pass(12 * MINUTE_MS);

    const { startup } = (await machine()).status ?? {};
    const texts = [ready(await machine())?.message ?? '', ...(await events()).map(({ message = '' }) => message)];
    expect(texts).toHaveLength(2);
    for (const text of [...texts, ...(startup?.console ?? [])]) {
      expect(text.length).toBeLessThanOrEqual(1_024);
      expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });

  test.each([
    { who: 'pool', pool: { nodeStartupTimeout: '3m' }, plan: '20m' },
    { who: 'plan', pool: {}, plan: '3m' },
  ])('is reported after the $who’s timeout', async ({ pool, plan }) => {
    const { fairway, clock, machine } = await startWithoutJoining(pool);
    await using _ = fairway;
    const value = { spec: { healing: { nodeStartupTimeout: plan } } };
    await fairway.client.resource(plans).patch('free', { type: 'merge', value });
    await clock.pass(MINUTE_MS);
    const before = ready(await machine());

    await clock.pass(3 * MINUTE_MS);

    expect(before).toMatchObject({ reason: 'WaitingForNode' });
    expect(ready(await machine())).toMatchObject({
      reason: 'NodeStartupTimeout',
      message: expect.stringContaining('for 3 min'),
    });
  });
});
