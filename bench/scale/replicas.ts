import { kindOf } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { TestServer, testResources } from '@fairway/apiserver/server/test-server';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest, TransportResponse } from '@fairway/kube/client/transport';
import { ShardMember } from '@fairway/kube/controller/sharding';
import { Leases } from '@fairway/kube/kinds/resources';
import { SHARDS } from '@fairway/service/serve/share';
import { median } from '../figures.ts';
import { replicaNames } from './share.ts';

const NAMESPACE = 'fairway-system';
const STEP_MS = 250;
const SETTLE_MS = 30_000;
const MEASURE_MS = 60_000;
const TAKEOVER_LIMIT_MS = 60_000;
/** When each of the replicas is killed after a renewal, which comes every 2.7 s: this affects when the others notice. */
const KILLED_AFTER_MS = [0, 500, 1_000, 1_500, 2_000, 2_500];

export interface Traffic {
  readonly writesPerSecond: number;
  /** Requests of all replicas together. */
  readonly eventsPerSecond: number;
}

export interface Sharing {
  readonly replicas: number;
  readonly atRest: Traffic;
  /** From a replica's kill until others hold all of its shards; undefined for a single replica. */
  readonly takeover: { readonly medianMs: number; readonly longestMs: number; readonly moved: number } | undefined;
}

/** Real members of one group over an API server in memory, on a clock that stops while they work. */
export async function simulateSharing(replicas: number): Promise<Sharing> {
  const group = await Group.start(replicas);
  const atRest = await group.traffic();
  group.stop();
  if (replicas === 1) return { replicas, atRest, takeover: undefined };
  const takeovers = [];
  for (const afterMs of KILLED_AFTER_MS) takeovers.push(await takeover(replicas, afterMs));
  const times = takeovers.map(({ tookMs }) => tookMs);
  const moved = Math.max(...takeovers.map((each) => each.moved));
  return { replicas, atRest, takeover: { medianMs: median(times), longestMs: Math.max(...times), moved } };
}

async function takeover(replicas: number, afterMs: number): Promise<{ tookMs: number; moved: number }> {
  const group = await Group.start(replicas);
  await group.pass(afterMs);
  const orphans = group.kill();
  const before = group.holders();
  let tookMs = 0;
  while (orphans.some((shard) => group.holders()[shard] === undefined)) {
    if (tookMs > TAKEOVER_LIMIT_MS) throw new Error('the shards of a killed replica were not taken over');
    await group.pass(STEP_MS);
    tookMs += STEP_MS;
  }
  const after = group.holders();
  group.stop();
  return { tookMs, moved: after.filter((holder, shard) => holder !== before[shard]).length };
}

class Group {
  readonly #server: TestServer;
  readonly #members: { readonly member: ShardMember; readonly line: Line; readonly stop: AbortController }[] = [];

  private constructor(server: TestServer) {
    this.#server = server;
  }

  /** All shards are assigned and stable. */
  static async start(replicas: number): Promise<Group> {
    const server = new TestServer({ resources: [...testResources, kindOf(Leases)], definitions: builtinDefinitions() });
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    const group = new Group(server);
    const random = seededRandom(1);
    for (const identity of replicaNames(replicas)) {
      const line = new Line(server.transport);
      const { clock } = server;
      const client = new KubeClient(line, { clock });
      const options = { client, namespace: NAMESPACE, name: 'fairway', identity, shards: SHARDS, clock, random };
      const member = new ShardMember(options);
      const stop = new AbortController();
      group.#members.push({ member, line, stop });
      member.start(stop.signal);
      // Replicas neither start nor renew at the same moment.
      await server.clock.advance(random() * 2_000);
    }
    await group.pass(SETTLE_MS);
    return group;
  }

  async pass(durationMs: number): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += STEP_MS) await this.#server.clock.advance(STEP_MS);
  }

  async traffic(): Promise<Traffic> {
    const count = () => ({ writes: sum(this.#lines, 'writes'), events: sum(this.#lines, 'events') });
    const before = count();
    await this.pass(MEASURE_MS);
    const after = count();
    const perSecond = (what: 'writes' | 'events') => ((after[what] - before[what]) * 1000) / MEASURE_MS;
    return { writesPerSecond: perSecond('writes'), eventsPerSecond: perSecond('events') };
  }

  /** Cuts off the first replica; returns its shards. */
  kill(): readonly number[] {
    const [victim] = this.#members.splice(0, 1);
    if (victim === undefined) throw new Error('there is no replica');
    const held = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => victim.member.holds(shard));
    victim.line.cut();
    victim.stop.abort();
    return held;
  }

  /** By shard. */
  holders(): readonly (number | undefined)[] {
    return Array.from({ length: SHARDS }, (_, shard) => {
      const index = this.#members.findIndex(({ member }) => member.holds(shard));
      return index < 0 ? undefined : index;
    });
  }

  stop(): void {
    for (const { line, stop } of this.#members) {
      line.cut();
      stop.abort();
    }
  }

  get #lines(): readonly Line[] {
    return this.#members.map(({ line }) => line);
  }
}

function sum(lines: readonly Line[], what: 'writes' | 'events'): number {
  return lines.reduce((total, line) => total + line[what], 0);
}

/** A replica's transport, which counts requests, and is cut when the replica is killed. */
class Line implements Transport {
  readonly #transport: Transport;
  writes = 0;
  events = 0;
  #isCut = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    if (this.#isCut) throw new Error('the replica is dead');
    if (request.method !== 'GET') this.writes++;
    const response = await this.#transport.request(request);
    return { ...response, text: () => response.text(), lines: () => this.#counted(response.lines()) };
  }

  async *#counted(lines: AsyncIterable<string>): AsyncIterable<string> {
    for await (const line of lines) {
      this.events++;
      yield line;
    }
  }

  cut(): void {
    this.#isCut = true;
  }

  close(): void {}
}
