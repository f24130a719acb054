import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBinaries } from './contract/kubernetes/binaries.ts';
import type { Replica } from './replicas/replica.ts';
import { type ReplicatedFairway, startReplicatedFairway } from './replicas/replicated-fairway.ts';

const [binaries] = findBinaries();
const version = binaries?.version ?? '(skipped: there is none)';

/** Each case continues from the previous one. */
describe.skipIf(binaries === undefined)(`replicas on kube-apiserver ${version}`, () => {
  let fairway: ReplicatedFairway;
  let first: Replica;
  let second: Replica;
  /** Number of clusters, half of them owned by the first replica and half by the second. */
  let names: readonly string[];
  beforeAll(async () => {
    if (binaries === undefined) return;
    fairway = await startReplicatedFairway(binaries);
    first = await fairway.addReplica();
    second = await fairway.addReplica();
    names = [first, second].flatMap((replica) => namesOf(replica, 'early', 4));
  });
  afterAll(() => fairway?.[Symbol.asyncDispose]());

  const namesOf = ({ identity }: Replica, prefix: string, count: number) =>
    fairway.shards.namesOf(identity, { namespace: 'default', prefix, count });
  const held = (replica: Replica) => {
    const holders = fairway.shards.holders(names.map((name) => `default/${name}`));
    return names.filter((name) => holders.get(`default/${name}`) === replica.identity);
  };
  const isServerCreation = ({ what }: { readonly what: string }) => /^POST .*\/servers$/.test(what);

  test('share the clusters, each with one owner', async () => {
    for (const name of names) await fairway.createCluster(name);
    await fairway.waitUntilReady(names, 1);

    expect([held(first).length, held(second).length]).toEqual([4, 4]);
    expect(new Set(fairway.cloudCalls.map(({ replica }) => replica))).toEqual(
      new Set([first.identity, second.identity]),
    );
    expect(fairway.unownedCalls()).toEqual([]);
  });

  test('hand clusters over to a joining replica, while the other replicas continue', async () => {
    let joinedReplica = await fairway.addReplica();
    // Shares are random, so the first replica that joins may get no cluster.
    while (held(joinedReplica).length === 0) joinedReplica = await fairway.addReplica();
    const moved = held(joinedReplica);
    const firstCreations = fairway.firstCallsOf(moved, isServerCreation);
    await fairway.scale(names, 2);
    await fairway.waitUntilReady(names, 2);

    expect([...(await firstCreations).values()].map(({ replica }) => replica)).toEqual(
      moved.map(() => joinedReplica.identity),
    );
    expect(fairway.unownedCalls()).toEqual([]);
    expect(fairway.duplicates()).toEqual([]);
  });

  test('take over the clusters of a killed replica', async () => {
    const killedReplica = mostLoadedReplica();
    const orphans = held(killedReplica);
    const firstCreations = fairway.firstCallsOf(orphans, isServerCreation);
    await killedReplica.kill();
    const killedMs = Date.now();
    fairway.forget(killedReplica);
    await fairway.scale(orphans, 3);
    const cloudCalls = [...(await firstCreations).values()];

    const slowestMs = Math.max(...cloudCalls.map(({ atMs }) => atMs)) - killedMs;
    process.stdout.write(`${orphans.length} clusters were taken over ${slowestMs} ms after kill -9\n`);
    await fairway.waitUntilReady(orphans, 3);
    expect(cloudCalls.map(({ replica }) => replica)).not.toContain(killedReplica.identity);
    expect(fairway.unownedCalls()).toEqual([]);
    expect(fairway.duplicates()).toEqual([]);
  });

  test('never continue unfinished work after a pause longer than their lease', async () => {
    const paused = mostLoadedReplica();
    const orphans = held(paused);
    // The cloud is slow, so the replica is paused with requests in flight that other requests depend on:
    // servers of existing clusters, networks of new ones.
    const isSlow = { times: null, action: { kind: 'delay', delayMs: 1_500 } } as const;
    fairway.cloud.faults.add({ service: 'compute', method: 'POST', path: '/servers$', ...isSlow });
    fairway.cloud.faults.add({ service: 'network', method: 'POST', ...isSlow });
    const fresh = namesOf(paused, 'late', 3);
    const firstWrites = fairway.firstCallsOf([...orphans, ...fresh], ({ what }) => what.startsWith('POST'));
    await fairway.scale(orphans, 6);
    await Promise.all(fresh.map((name) => fairway.createCluster(name)));
    await firstWrites;
    paused.pause();
    const pausedMs = Date.now();
    const others = fairway.replicas.filter((replica) => replica !== paused).map(({ identity }) => identity);
    await fairway.shards.waitUntilShared(others);
    const acquisition = fairway.firstCallsOf([...orphans, ...fresh], ({ replica }) => others.includes(replica));
    await fairway.scale(orphans, 7);
    await acquisition;
    paused.resume();
    const resumedMs = Date.now();
    await fairway.waitUntilReady(orphans, 7);
    await fairway.waitUntilReady(fresh, 1);
    // The replica recovers, gets its share back, and may act only after that.
    await fairway.shards.waitUntilShared([...others, paused.identity]);

    process.stdout.write(
      `paused for ${resumedMs - pausedMs} ms, after which ${giveUpCount(paused)} reconciles were given up\n`,
    );
    expect(paused.output).toContain('lease expired, shards lost');
    expect(fairway.unownedCalls()).toEqual([]);
    expect(fairway.duplicates()).toEqual([]);
  });

  test('leave nothing behind, in the cloud or on this machine', async () => {
    fairway.cloud.faults.clear();
    await fairway.deleteClusters();

    expect(await fairway.leaked()).toEqual([]);
    expect(fairway.unownedCalls()).toEqual([]);
  });

  test('hand over when they are stopped gracefully', async () => {
    const [leavingReplica, ...rest] = fairway.replicas;
    if (leavingReplica === undefined) throw new Error('no replica runs');
    fairway.forget(leavingReplica);
    const startedMs = Date.now();
    await leavingReplica.stop();
    await fairway.shards.waitUntilShared(rest.map(({ identity }) => identity));

    process.stdout.write(`handed over ${Date.now() - startedMs} ms after SIGTERM\n`);
    expect(fairway.unownedCalls()).toEqual([]);
  });

  function mostLoadedReplica(): Replica {
    const [most] = fairway.replicas.toSorted((a, b) => held(b).length - held(a).length);
    if (most === undefined) throw new Error('no replica runs');
    return most;
  }
});

function giveUpCount({ output }: Replica): number {
  return output.split('reconcile stopped, grant lost').length - 1;
}
