import { kindOf } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { TestServer, testResources } from '@fairway/apiserver/server/test-server';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { afterEach, describe, expect, test } from 'vitest';
import { KubeClient } from '../client/kube-client.ts';
import type { Transport } from '../client/transport.ts';
import { Leases } from '../kinds/resources.ts';
import { Controller } from './controller.ts';
import type { Result } from './result.ts';
import { type MemberGossip, ShardMember } from './sharding.ts';

const SHARDS = 12;

/** A transport that can be blocked, like that of a paused or partitioned process. */
class Gate implements Transport {
  readonly #transport: Transport;
  #open = Promise.resolve();
  #release: () => void = () => undefined;
  #holdsResponses = false;
  #flow = Promise.resolve();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async request(request: Parameters<Transport['request']>[0]): ReturnType<Transport['request']> {
    if (this.#holdsResponses) return this.#requestWithDelay(request);
    const aborted = new Promise<void>((resolve) => request.signal?.addEventListener('abort', () => resolve()));
    await Promise.race([this.#open, aborted]);
    request.signal?.throwIfAborted();
    const response = await this.#transport.request(request);
    return { ...response, text: () => response.text(), lines: () => this.#stallableLines(response.lines()) };
  }

  /**
   * Makes watches deliver nothing from now on while other requests work, as with a dead connection or a lagging server.
   */
  stallWatches(): void {
    this.#flow = new Promise(() => undefined);
  }

  async *#stallableLines(lines: AsyncIterable<string>): AsyncIterable<string> {
    for await (const line of lines) {
      await this.#flow;
      yield line;
    }
  }

  /** Holds responses back from now on until `release`; requests still reach the server. */
  holdResponses(): void {
    this.#holdsResponses = true;
    this.block();
  }

  async #requestWithDelay(request: Parameters<Transport['request']>[0]): ReturnType<Transport['request']> {
    const { signal: _signal, ...rest } = request;
    const response = await this.#transport.request(rest);
    await this.#open;
    return response;
  }

  block(): void {
    ({ promise: this.#open, resolve: this.#release } = Promise.withResolvers<void>());
  }

  release(): void {
    this.#holdsResponses = false;
    this.#release();
  }

  close(): void {
    this.#transport.close();
  }
}

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

async function group(shards = SHARDS) {
  const server = new TestServer({ resources: [...testResources, kindOf(Leases)], definitions: builtinDefinitions() });
  await server.namespace('fairway');
  const members: ShardMember[] = [];
  const join = (identity: string, gossip?: MemberGossip) => {
    const gate = new Gate(server.transport);
    const client = new KubeClient(gate, { clock: server.clock });
    const { clock } = server;
    const member = new ShardMember({
      client,
      namespace: 'fairway',
      name: 'clusters',
      identity,
      shards,
      leaseDurationMs: 15_000,
      clockSkewMs: 5_000,
      clock,
      random: () => 0.5,
      gossip,
    });
    const stop = new AbortController();
    stops.push(stop);
    members.push(member);
    return { member, stop, gate, start: () => member.start(stop.signal) };
  };
  const holders = (shard: number) => members.filter((member) => member.holds(shard));
  const all = Array.from({ length: shards }, (_, shard) => shard);
  return {
    server,
    join,
    /** Advances time in small steps; fails as soon as two members hold the same shard. */
    pass: async (seconds: number) => {
      for (let step = 0; step < seconds * 4; step++) {
        await server.clock.advance(250);
        const sharedShards = all.filter((shard) => holders(shard).length > 1);
        expect(sharedShards).toEqual([]);
      }
    },
    share: (member: ShardMember) => all.filter((shard) => member.holds(shard)),
    orphans: () => all.filter((shard) => holders(shard).length === 0),
  };
}

describe('gossip', () => {
  function newGossip(message: { text: string | undefined }) {
    const received: string[] = [];
    const gossip: MemberGossip = {
      payload: () => message.text,
      receive: (from, text) => void received.push(`${from}: ${text}`),
    };
    return { gossip, heard: received };
  }

  test('reaches the other members with the regular renewal of a Lease', async () => {
    const g = await group();
    const message: { text: string | undefined } = { text: undefined };
    const [a, b] = [newGossip(message), newGossip({ text: undefined })];
    g.join('a', a.gossip).start();
    g.join('b', b.gossip).start();
    await g.pass(10);
    expect(b.heard).toEqual([]);

    message.text = 'first';
    await g.pass(5);
    expect(new Set(b.heard)).toEqual(new Set(['a: first']));
    expect(a.heard).toEqual([]);

    message.text = undefined;
    await g.pass(5);
    b.heard.length = 0;
    await g.pass(10);
    expect(b.heard).toEqual([]);
  });

  test('reaches the other members before the next renewal if it is urgent, but at most a few times a second', async () => {
    const g = await group();
    const message: { text: string | undefined } = { text: undefined };
    const [a, b] = [newGossip(message), newGossip({ text: undefined })];
    const { member, start } = g.join('a', a.gossip);
    start();
    g.join('b', b.gossip).start();
    await g.pass(11);
    const renewedMs = g.server.clock.now();

    for (let n = 1; n <= 20; n++) {
      message.text = `${n}`;
      const published = member.gossip(() => Promise.resolve(true));
      await g.server.clock.advance(1);
      await published;
    }

    expect(g.server.clock.now() - renewedMs).toBeLessThan(1_000);
    expect(new Set(b.heard)).toEqual(new Set(['a: 1', 'a: 2', 'a: 3', 'a: 4', 'a: 5']));
  });

  test('is left out if it is too large, and the member keeps its shards', async () => {
    const g = await group();
    const message: { text: string | undefined } = { text: 'x'.repeat(300_000) };
    const [a, b] = [newGossip(message), newGossip({ text: undefined })];
    const { member, start } = g.join('a', a.gossip);
    start();
    g.join('b', b.gossip).start();
    await g.pass(60);

    expect(b.heard).toEqual([]);
    expect(member.counts.lapses).toBe(0);
    expect(g.share(member).length).toBeGreaterThan(0);
  });

  test('does not cause a renewal if there is nothing to publish, and does not delay callers for long', async () => {
    const g = await group();
    const a = newGossip({ text: undefined });
    const { member, start } = g.join('a', a.gossip);
    start();
    await g.pass(1);
    const leases = new KubeClient(g.server.transport).resource(Leases);
    const version = async () =>
      (await leases.get('clusters-member-a', { namespace: 'fairway' })).metadata.resourceVersion;
    const before = await version();

    for (const prepare of [() => Promise.resolve(false), () => Promise.reject(new Error('refused'))]) {
      await member.gossip(prepare);
    }
    expect(await version()).toBe(before);
    const startedMs = g.server.clock.now();
    const published = member.gossip(() => new Promise(() => undefined));
    await g.server.clock.advance(1_000);
    await published;

    expect(g.server.clock.now() - startedMs).toBe(1_000);
  });
});

describe('members of a group', () => {
  test('share all shards', async () => {
    const g = await group();
    const [a, b, c] = [g.join('a'), g.join('b'), g.join('c')];
    for (const { start } of [a, b, c]) start();
    await g.pass(30);

    expect(g.orphans()).toEqual([]);
    for (const { member } of [a, b, c]) expect(g.share(member).length).toBeGreaterThan(0);
  });

  test('hand over to a joining member immediately', async () => {
    const g = await group();
    const a = g.join('a');
    a.start();
    await g.pass(1);
    expect(g.share(a.member)).toHaveLength(SHARDS);

    const b = g.join('b');
    b.start();
    await g.pass(2);

    expect(g.orphans()).toEqual([]);
    expect(g.share(b.member).length).toBeGreaterThan(0);
  });

  test('wait for running work during a handover', async () => {
    const g = await group();
    const a = g.join('a');
    const gate = Promise.withResolvers<Result>();
    const { clock } = g.server;
    const worker = new Controller({
      name: 'clusters',
      clock,
      owner: a.member,
      concurrency: 100,
      reconcile: () => gate.promise,
    });
    const stop = new AbortController();
    stops.push(stop);
    worker.start(stop.signal);
    a.start();
    await g.pass(1);
    for (let i = 0; i < 60; i++) worker.enqueue(`ns/c${i}`);
    const b = g.join('b');
    b.start();

    await g.pass(12);
    expect(g.share(b.member)).toEqual([]);
    expect(g.share(a.member).length, 'no work starts on shards that are being given up').toBeLessThan(SHARDS);
    gate.resolve({});
    await g.pass(1);

    expect(g.share(b.member).length).toBeGreaterThan(0);
    expect(g.orphans()).toEqual([]);
  });

  test('end a handover after a timeout if work never ends, and revoke its grant', async () => {
    const g = await group();
    const a = g.join('a');
    a.start();
    await g.pass(1);
    a.member.register({ enqueueAll: () => undefined, drained: () => new Promise(() => undefined) });
    const keys = Array.from({ length: 50 }, (_, i) => `ns/c${i}`);
    const grants = new Map(keys.map((key) => [key, a.member.grant(key)]));
    const b = g.join('b');
    b.start();
    await g.pass(20);

    expect(g.orphans()).toEqual([]);
    const moved = keys.filter((key) => b.member.stillOwns(key));
    expect(moved.length).toBeGreaterThan(0);
    expect(moved.filter((key) => grants.get(key)?.isValid())).toEqual([]);
  });

  test('take over from a killed member, but not before its lease and the skew have passed', async () => {
    const g = await group();
    const [a, b] = [g.join('a'), g.join('b')];
    a.start();
    b.start();
    await g.pass(20);
    const lost = g.share(b.member);

    b.gate.block();
    await g.pass(14);
    expect(g.share(a.member)).toHaveLength(SHARDS - lost.length);
    await g.pass(14);

    expect(g.share(a.member)).toHaveLength(SHARDS);
  });

  test('take no shards from live members while their own watch is dead', async () => {
    const g = await group();
    const [a, b] = [g.join('a'), g.join('b')];
    a.start();
    b.start();
    await g.pass(20);
    const before = g.share(a.member);

    b.gate.stallWatches();
    await g.pass(60);

    expect(g.share(a.member)).toEqual(before);
  });

  test('recreate their Lease if it is deleted, and no other member takes their shards in the meantime', async () => {
    const g = await group();
    const [a, b] = [g.join('a'), g.join('b')];
    a.start();
    b.start();
    await g.pass(20);
    const before = g.share(a.member);
    b.gate.stallWatches();
    await g.pass(21);
    const admin = new KubeClient(g.server.transport, { clock: g.server.clock });
    await admin.resource(Leases).delete('clusters-member-a', { namespace: 'fairway' });
    await g.pass(30);

    expect(g.share(a.member)).toEqual(before);
  });

  test('hold no shards when they resume after a pause longer than the lease, then get their share back', async () => {
    const g = await group();
    const [a, b] = [g.join('a'), g.join('b')];
    a.start();
    b.start();
    await g.pass(20);
    const before = g.share(b.member);

    b.gate.block();
    await g.pass(15);
    expect(g.share(b.member)).toEqual([]);
    await g.pass(45);
    expect(g.share(a.member)).toHaveLength(SHARDS);
    b.gate.release();
    await g.pass(10);

    expect(g.share(b.member)).toEqual(before);
    expect(g.orphans()).toEqual([]);
  });

  test.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'never hold the same shard on an unreliable network, seed %i',
    async (seed) => {
      const random = seededRandom(seed);
      const g = await group();
      const members = ['a', 'b', 'c'].map((identity) => g.join(identity));
      for (const { start } of members) {
        start();
        await g.pass(random() * 5);
      }
      for (let step = 0; step < 30; step++) {
        const gate = members[Math.floor(random() * members.length)]?.gate;
        const event = random();
        gate?.release();
        if (event < 0.3) gate?.block();
        else if (event < 0.6) gate?.holdResponses();
        await g.pass(random() * 9);
      }
      for (const { gate } of members) gate.release();
      await g.pass(60);

      expect(g.orphans()).toEqual([]);
    },
  );

  test.each([4, 9, 13, 16, 19, 21, 24])('never give a shard two holders after a pause of %i s', async (seconds) => {
    const g = await group();
    const members = ['a', 'b', 'c'].map((identity) => g.join(identity));
    for (const { start } of members) start();
    await g.pass(20);

    for (const { gate } of members) {
      gate.block();
      await g.pass(seconds);
      gate?.release();
      await g.pass(7);
    }
    await g.pass(40);

    expect(g.orphans()).toEqual([]);
  });

  test.each([4, 9, 13, 16, 19, 21, 24])(
    'never give a shard two holders if responses arrive %i s late',
    async (seconds) => {
      const g = await group();
      const members = ['a', 'b', 'c'].map((identity) => g.join(identity));
      for (const { start } of members) start();
      await g.pass(3);

      for (const { gate } of members) {
        gate.holdResponses();
        await g.pass(seconds);
        gate?.release();
        await g.pass(7);
      }
      await g.pass(40);

      expect(g.orphans()).toEqual([]);
    },
  );

  test('are replaced immediately after an orderly stop', async () => {
    const g = await group();
    const [a, b] = [g.join('a'), g.join('b')];
    a.start();
    b.start();
    await g.pass(20);

    b.stop.abort();
    await g.pass(2);
    await b.member.stopped;

    expect(g.share(a.member)).toHaveLength(SHARDS);
    const { items } = await new KubeClient(g.server.transport).resource(Leases).list();
    expect(items.filter(({ metadata }) => metadata.labels?.['fairway.dev/shard-role'] === 'member')).toHaveLength(1);
  });

  test('enqueue the keys that they take over', async () => {
    const g = await group();
    const a = g.join('a');
    const keys = Array.from({ length: 50 }, (_, i) => `ns/c${i}`);
    const enqueued: string[] = [];
    a.member.register({
      enqueueAll: (matches) => {
        enqueued.push(...keys.filter(matches));
      },
      drained: () => Promise.resolve(),
    });
    a.start();
    await g.pass(1);

    expect(enqueued.sort()).toEqual(keys.sort());
  });

  test('report a key as new at first, then as inherited, even after an orderly shutdown', async () => {
    const g = await group();
    const [a, b] = [g.join('a'), g.join('b')];
    a.start();
    await g.pass(1);
    expect(a.member.tenure('ns/c1')).toEqual({ sinceMs: expect.any(Number), isInherited: false });
    a.stop.abort();
    b.start();
    await g.pass(2);

    expect(a.member.tenure('ns/c1')).toBeUndefined();
    expect(b.member.tenure('ns/c1')).toMatchObject({ isInherited: true });
  });

  test('let workers release a shard before it can be taken, and all shards once the lease has expired', async () => {
    const g = await group();
    const [a, b] = [g.join('a'), g.join('b')];
    const keys = Array.from({ length: 50 }, (_, i) => `ns/c${i}`);
    const dropped: string[] = [];
    const takenTooEarly: string[] = [];
    a.member.register({
      enqueueAll: () => undefined,
      drained: () => Promise.resolve(),
      release: (matches) => {
        const released = keys.filter(matches);
        dropped.push(...released);
        takenTooEarly.push(...released.filter((key) => b.member.stillOwns(key)));
      },
    });
    a.start();
    await g.pass(1);
    b.start();
    await g.pass(2);
    expect(dropped.sort()).toEqual(keys.filter((key) => b.member.stillOwns(key)).sort());
    expect(takenTooEarly).toEqual([]);

    dropped.length = 0;
    const retained = keys.filter((key) => a.member.stillOwns(key));
    a.gate.block();
    await g.pass(30);
    expect(dropped.sort()).toEqual(retained.sort());
  });

  test('revoke the grant of work that delays a handover for too long', async () => {
    const g = await group();
    const a = g.join('a');
    a.start();
    await g.pass(1);
    const running = Promise.withResolvers<void>();
    a.member.register({ enqueueAll: () => undefined, drained: () => running.promise });
    const grants = Array.from({ length: 50 }, (_, i) => a.member.grant(`ns/c${i}`));
    g.join('b').start();
    await g.pass(4);
    expect(grants.every((grant) => grant?.isValid())).toBe(true);
    await g.pass(4);

    expect(grants.some((grant) => !grant?.isValid())).toBe(true);
    running.resolve();
  });

  test('delete the Leases of members that died long ago', async () => {
    const g = await group();
    const [a, b] = [g.join('a'), g.join('b')];
    a.start();
    b.start();
    await g.pass(10);
    b.gate.block();
    await g.pass(700);

    const { items } = await new KubeClient(g.server.transport).resource(Leases).list();
    expect(items.map(({ metadata }) => metadata.name)).not.toContain('clusters-member-b');
  });
});

describe('a group with one shard', () => {
  test('elects a leader, which is named in its Lease', async () => {
    const g = await group(1);
    const [a, b] = [g.join('a'), g.join('b')];
    a.start();
    b.start();
    await g.pass(5);
    const leader = [a, b].find(({ member }) => member.stillOwns('anything'));
    const lease = await new KubeClient(g.server.transport).resource(Leases).get('clusters', { namespace: 'fairway' });

    expect(g.orphans()).toEqual([]);
    expect(lease.spec?.holderIdentity).toBe(leader === a ? 'a' : 'b');
  });
});
