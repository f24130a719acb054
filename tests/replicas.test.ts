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
  const isServerMade = ({ what }: { readonly what: string }) => /^POST .*\/servers$/.test(what);

  test('share the clusters, each with one owner', async () => {
    for (const name of names) await fairway.createCluster(name);
    await fairway.untilReady(names, 1);

    expect([held(first).length, held(second).length]).toEqual([4, 4]);
    expect(new Set(fairway.acts.map(({ replica }) => replica))).toEqual(new Set([first.identity, second.identity]));
    expect(fairway.trespasses()).toEqual([]);
  });

  test('hand clusters over to one that joins, while the rest continues', async () => {
    let joined = await fairway.addReplica();
    // Shares are random: the first replica that joins may get no cluster.
    while (held(joined).length === 0) joined = await fairway.addReplica();
    const moved = held(joined);
    const acting = fairway.firstActs(moved, isServerMade);
    await fairway.scale(names, 2);
    await fairway.untilReady(names, 2);

    expect([...(await acting).values()].map(({ replica }) => replica)).toEqual(moved.map(() => joined.identity));
    expect(fairway.trespasses()).toEqual([]);
    expect(fairway.doubled()).toEqual([]);
  });

  test('take over the clusters of one that was killed', async () => {
    const victim = mostLoaded();
    const orphans = held(victim);
    const acting = fairway.firstActs(orphans, isServerMade);
    await victim.kill();
    const killedMs = Date.now();
    fairway.forget(victim);
    await fairway.scale(orphans, 3);
    const acts = [...(await acting).values()];

    const slowestMs = Math.max(...acts.map(({ atMs }) => atMs)) - killedMs;
    process.stdout.write(`${orphans.length} clusters were taken over ${slowestMs} ms after kill -9\n`);
    await fairway.untilReady(orphans, 3);
    expect(acts.map(({ replica }) => replica)).not.toContain(victim.identity);
    expect(fairway.trespasses()).toEqual([]);
    expect(fairway.doubled()).toEqual([]);
  });

  test('never act for one that was paused past its lease in the middle of its work and continues', async () => {
    const paused = mostLoaded();
    const orphans = held(paused);
    // The cloud is slow, so that it is caught with requests in flight and others that depend on their responses: servers of
    // existing clusters, networks of new ones.
    const isSlow = { times: null, action: { kind: 'delay', delayMs: 1_500 } } as const;
    fairway.cloud.faults.add({ service: 'compute', method: 'POST', path: '/servers$', ...isSlow });
    fairway.cloud.faults.add({ service: 'network', method: 'POST', ...isSlow });
    const fresh = namesOf(paused, 'late', 3);
    const working = fairway.firstActs([...orphans, ...fresh], ({ what }) => what.startsWith('POST'));
    await fairway.scale(orphans, 6);
    await Promise.all(fresh.map((name) => fairway.createCluster(name)));
    await working;
    paused.pause();
    const pausedMs = Date.now();
    const others = fairway.replicas.filter((replica) => replica !== paused).map(({ identity }) => identity);
    await fairway.shards.untilShared(others);
    const taking = fairway.firstActs([...orphans, ...fresh], ({ replica }) => others.includes(replica));
    await fairway.scale(orphans, 7);
    await taking;
    paused.resume();
    const resumedMs = Date.now();
    await fairway.untilReady(orphans, 7);
    await fairway.untilReady(fresh, 1);
    // It recovers, gets its share back, and only then may it act.
    await fairway.shards.untilShared([...others, paused.identity]);

    process.stdout.write(
      `paused for ${resumedMs - pausedMs} ms, after which ${givenUp(paused)} reconciles were given up\n`,
    );
    expect(paused.output).toContain('lease expired, shards lost');
    expect(fairway.trespasses()).toEqual([]);
    expect(fairway.doubled()).toEqual([]);
  });

  test('leave nothing behind, in the cloud or here', async () => {
    fairway.cloud.faults.clear();
    await fairway.deleteClusters();

    expect(await fairway.leaked()).toEqual([]);
    expect(fairway.trespasses()).toEqual([]);
  });

  test('hand over when they are stopped gracefully', async () => {
    const [leaving, ...rest] = fairway.replicas;
    if (leaving === undefined) throw new Error('no replica runs');
    fairway.forget(leaving);
    const startedMs = Date.now();
    await leaving.stop();
    await fairway.shards.untilShared(rest.map(({ identity }) => identity));

    process.stdout.write(`handed over ${Date.now() - startedMs} ms after SIGTERM\n`);
    expect(fairway.trespasses()).toEqual([]);
  });

  function mostLoaded(): Replica {
    const [most] = fairway.replicas.toSorted((a, b) => held(b).length - held(a).length);
    if (most === undefined) throw new Error('no replica runs');
    return most;
  }
});

function givenUp({ output }: Replica): number {
  return output.split('reconcile stopped, grant lost').length - 1;
}
