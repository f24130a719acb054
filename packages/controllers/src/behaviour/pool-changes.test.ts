import type { Machine } from '@fairway/api/kinds/machine';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { Informer } from '@fairway/kube/client/informer';
import { findCondition } from '@fairway/kube/controller/conditions';
import { describe, expect, test } from 'vitest';
import { SwitchedFaults } from '../testing/lasting-causes.ts';
import { PoolHistory } from '../testing/pool-history.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { isReady, TEAM, TestFairway } from '../testing/test-fairway.ts';

const MINUTE_MS = 60_000;

type PoolSpec = NonNullable<Parameters<TestFairway['createPool']>[0]>;

/** A cluster with a pool whose spec is changed. */
class PoolChangeRun implements AsyncDisposable {
  readonly clock = new SteppingClock();
  readonly faults = new SwitchedFaults();
  fairway!: TestFairway;
  history!: PoolHistory;

  static async start(pool: PoolSpec): Promise<PoolChangeRun> {
    const self = new PoolChangeRun();
    const { clock, faults } = self;
    self.fairway = await TestFairway.start({ clock, random: seededRandom(7), ...faults.options });
    await clock.during(self.fairway.readyCluster({ upgradeStrategy: { type: 'Rolling' }, ...pool }));
    await clock.pass(MINUTE_MS);
    self.history = await PoolHistory.of(self.fairway);
    return self;
  }

  patch(spec: object): Promise<NodePool> {
    return this.clock.during(this.fairway.patch(nodePools, 'general', { spec }));
  }

  async until(check: (pool: NodePool) => unknown): Promise<NodePool> {
    const seen = this.fairway.until(nodePools, ([pool]) => pool !== undefined && Boolean(check(pool)), 'general');
    const [pool] = await this.clock.during(seen);
    return pool as NodePool;
  }

  machines(): Promise<readonly Machine[]> {
    return this.clock.during(this.fairway.machines());
  }

  servers() {
    return this.clock.during(Array.fromAsync(this.fairway.process.project.client.compute.servers.list()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.history?.[Symbol.asyncDispose]();
    await this.fairway[Symbol.asyncDispose]();
  }
}

const isReplaced = ({ spec, status }: NodePool) =>
  status?.upgrade?.state === 'Complete' && status.updatedReplicas === spec.replicas;
const flavorsOf = (all: readonly Machine[]) => all.map(({ spec }) => spec.flavor);
const zonesOf = (all: readonly Machine[]) => all.map(({ spec }) => spec.zone ?? '').toSorted();

describe('another flavor', () => {
  test.each(['Rolling', 'InPlace'] as const)('replaces the nodes with strategy %s, new ones first', async (type) => {
    await using changing = await PoolChangeRun.start({ replicas: 3, upgradeStrategy: { type } });

    await changing.patch({ flavor: 'b3-16' });
    const pool = await changing.until(isReplaced);
    await changing.clock.pass(MINUTE_MS);

    const servers = await changing.servers();
    expect(servers.map(({ flavor }) => 'original_name' in flavor && flavor.original_name)).toEqual(
      Array(3).fill('b3-16'),
    );
    expect(changing.history).toMatchObject({ maxMachines: 4, minAvailable: 3 });
    expect(pool.status?.upgrade?.summary).toBe('3/3');
  });

  test('can be reverted halfway: the new nodes are replaced again, and the pool always has enough nodes', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 3 });

    await changing.patch({ flavor: 'b3-16' });
    await changing.until(({ status }) => status?.upgrade?.done === 1);
    await changing.patch({ flavor: 'b3-8' });
    await changing.until(isReplaced);

    expect(flavorsOf(await changing.machines())).toEqual(['b3-8', 'b3-8', 'b3-8']);
    expect(changing.history.minAvailable).toBe(3);
    // An old node, the first new one, and one whose creation had begun.
    expect(changing.history.deleted.length).toBeLessThanOrEqual(3);
  });

  test('has no ID, and causes no node to be replaced, if it does not exist', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 3 });
    const before = (await changing.machines()).map(({ metadata }) => metadata.name ?? '').toSorted();

    await changing.patch({ flavor: 'unheard-of' });
    const pool = await changing.until(({ status }) => status?.upgrade?.reason === 'FlavorNotFound');
    await changing.clock.pass(10 * MINUTE_MS);
    const { writes } = changing.faults;
    await changing.clock.pass(6 * 60 * MINUTE_MS);

    expect(pool.status?.flavorID).toBeUndefined();
    expect(changing.history).toMatchObject({ minAvailable: 3, maxMachines: 4, deleted: [] });
    expect(changing.faults.writes - writes).toBe(0);
    await changing.patch({ flavor: 'b3-8' });
    await changing.until(isReplaced);
    await changing.clock.pass(MINUTE_MS);
    expect((await changing.machines()).map(({ metadata }) => metadata.name ?? '').toSorted()).toEqual(before);
  });

  test('causes no nodes to be replaced if only the ID is given instead of the name', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 3 });
    const { status } = await changing.until(({ status }) => status?.flavorName === 'b3-8');

    const { metadata } = await changing.patch({ flavor: status?.flavorID });
    const pool = await changing.until((each) => each.status?.observedGeneration === metadata.generation);
    await changing.clock.pass(60 * MINUTE_MS);

    expect(pool.status).toMatchObject({ flavorID: pool.spec.flavor, updatedReplicas: 3 });
    expect(changing.history).toMatchObject({ minAvailable: 3, maxMachines: 3, deleted: [] });
    expect(flavorsOf(await changing.machines())).toEqual(['b3-8', 'b3-8', 'b3-8']);
  });

  test('costs one node if it does not exist and there is no surge; the pool can still shrink and be deleted', async () => {
    const upgradeStrategy = { type: 'Rolling', maxSurge: 0, maxUnavailable: 1 } as const;
    await using changing = await PoolChangeRun.start({ replicas: 3, upgradeStrategy });

    await changing.patch({ flavor: 'unheard-of' });
    await changing.until(({ status }) => status?.upgrade?.reason === 'FlavorNotFound');
    await changing.clock.pass(60 * MINUTE_MS);
    const { minAvailable } = changing.history;
    await changing.patch({ replicas: 1 });
    const left = await changing.clock.during(changing.fairway.until(machines, (all) => all.length === 1));
    await changing.clock.during(changing.fairway.delete(nodePools, 'general'));
    await changing.clock.during(changing.fairway.until(nodePools, (left) => left.length === 0));

    // One node was deleted to make room for the new node that cannot be created; the new one is deleted first when the
    // pool shrinks.
    expect(minAvailable).toBe(2);
    expect(flavorsOf(left)).toEqual(['b3-8']);
    expect(await changing.servers()).toEqual([]);
  });

  test('is resumed if Fairway is killed halfway', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 3 });

    await changing.patch({ flavor: 'b3-16' });
    for (let kills = 0; kills < 5; kills++) {
      await changing.clock.pass(2_000);
      await changing.clock.during(changing.fairway.stopProcess());
      await changing.clock.during(changing.fairway.startProcess());
    }
    await changing.until(isReplaced);

    expect(flavorsOf(await changing.machines())).toEqual(['b3-16', 'b3-16', 'b3-16']);
    expect(changing.history).toMatchObject({ maxMachines: 4, minAvailable: 3 });
  });
});

describe('other zones', () => {
  test('receive the nodes of a removed zone, evenly, while other nodes stay', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 4, availabilityZones: ['nova-a', 'nova-b'] });
    const kept = (await changing.machines()).filter(({ spec }) => spec.zone === 'nova-b');

    await changing.patch({ availabilityZones: ['nova-b', 'nova-c'] });
    await changing.until(isReplaced);
    await changing.clock.pass(MINUTE_MS);

    const after = await changing.machines();
    expect(zonesOf(after)).toEqual(['nova-b', 'nova-b', 'nova-c', 'nova-c']);
    expect(after.map(({ metadata }) => metadata.name ?? '')).toEqual(
      expect.arrayContaining(kept.map(({ metadata }) => metadata.name ?? '')),
    );
    const servers = await changing.servers();
    expect(servers.map((server) => server['OS-EXT-AZ:availability_zone'] ?? '').toSorted()).toEqual(zonesOf(after));
    expect(changing.history).toMatchObject({ maxMachines: 5, minAvailable: 4 });
  });

  test('do not move existing nodes when added, and receive the next new node', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 2, availabilityZones: ['nova-a'] });

    await changing.patch({ availabilityZones: ['nova-a', 'nova-b'] });
    await changing.clock.pass(10 * MINUTE_MS);
    expect(zonesOf(await changing.machines())).toEqual(['nova-a', 'nova-a']);
    expect(changing.history.deleted).toEqual([]);

    await changing.patch({ replicas: 3 });
    await changing.until((pool) => isReady(pool) && pool.status?.readyReplicas === 3);
    expect(zonesOf(await changing.machines())).toEqual(['nova-a', 'nova-a', 'nova-b']);
  });

  test('leave the nodes where they are if no zone is specified', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 2, availabilityZones: ['nova-b'] });

    await changing.patch({ availabilityZones: null });
    await changing.clock.pass(10 * MINUTE_MS);

    expect(zonesOf(await changing.machines())).toEqual(['nova-b', 'nova-b']);
    expect(changing.history.deleted).toEqual([]);
  });
});

describe('a pool shrinks', () => {
  test('even if the cloud no longer has its image', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 3 });

    await changing.patch({ image: 'gone', replicas: 1 });
    const pool = await changing.until(({ status }) => status?.replicas === 1);
    await changing.clock.pass(10 * MINUTE_MS);
    const { writes } = changing.faults;
    await changing.clock.pass(6 * 60 * MINUTE_MS);

    expect(findCondition(pool.status?.conditions, 'MachinesReady')?.reason).toBe('ImageNotFound');
    expect((await changing.machines()).filter(isReady)).toHaveLength(1);
    expect(await changing.servers()).toHaveLength(1);
    expect(changing.faults.writes - writes).toBe(0);
  });

  test('even if the cloud no longer has its flavor', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 3 });

    await changing.patch({ flavor: 'unheard-of', upgradeStrategy: { paused: true }, replicas: 1 });
    await changing.until(({ status }) => status?.replicas === 1);

    expect((await changing.machines()).filter(isReady)).toHaveLength(1);
  });

  test('during an outage, and its servers are deleted afterwards', async () => {
    await using changing = await PoolChangeRun.start({ replicas: 3 });
    changing.fairway.cloud.faults.add({ action: { kind: 'answer', status: 503 }, times: null });

    await changing.patch({ replicas: 1 });
    await changing.clock.pass(20 * MINUTE_MS);
    expect(changing.history.deleted).toHaveLength(2);

    changing.fairway.cloud.faults.clear();
    const deletion = changing.fairway.until(machines, (all) => all.length === 1);
    await changing.clock.during(deletion);
    expect(await changing.servers()).toHaveLength(1);
  });
});

test('a shrinking pool is Ready only once its surplus machines are deleted', async () => {
  await using changing = await PoolChangeRun.start({ replicas: 3 });
  const { client, clock } = changing.fairway;
  const pools = new Informer(client.resource(nodePools), { namespace: TEAM, clock });
  const patches: unknown[] = [];
  pools.addHandler({
    onUpdate(_old, { metadata, spec, status }) {
      if (spec.replicas !== 1 || status?.observedGeneration !== metadata.generation) return;
      const word = findCondition(status?.conditions, 'Ready')?.status;
      if (patches.at(-1) !== word) patches.push(word);
    },
  });
  const stop = new AbortController();
  pools.start(stop.signal);
  await pools.whenSynced(stop.signal);

  await changing.patch({ replicas: 1 });
  await changing.until(({ spec, status }) => spec.replicas === 1 && status?.readySummary === '1/1');
  await changing.clock.pass(MINUTE_MS);
  stop.abort();
  await pools.stopped;

  expect(patches).toEqual(['False', 'True']);
});
