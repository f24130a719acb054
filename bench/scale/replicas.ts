import { kindOf } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { TestServer, testResources } from '@fairway/apiserver/server/test-server';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport, TransportRequest, TransportResponse } from '@fairway/kube/client/transport';
import { ShardMember } from '@fairway/kube/controller/sharding';
import { Leases } from '@fairway/kube/kinds/resources';
import { SHARD_COUNT } from '@fairway/service/serve/share';
import { median } from '../figures.ts';
import { replicaNames } from './share.ts';

const NAMESPACE = 'fairway-system';
const STEP_MS = 250;
const SETTLE_MS = 30_000;
const MEASURE_MS = 60_000;
const TAKEOVER_TIMEOUT_MS = 60_000;
/**
 * Delay between a replica's lease renewal and the moment it is killed. Renewals occur every 2.7 s, so the
 * delay affects when the other replicas notice.
 */
const KILL_DELAYS_MS = [0, 500, 1_000, 1_500, 2_000, 2_500];

export interface Traffic {
  readonly writesPerSecond: number;
  /** Total watch events received by all replicas. */
  readonly eventsPerSecond: number;
}

export interface Sharing {
  readonly replicas: number;
  readonly idleTraffic: Traffic;
  /** Time from killing a replica until other replicas hold all of its shards; undefined for a single replica. */
  readonly takeover:
    | { readonly medianMs: number; readonly longestMs: number; readonly movedShards: number }
    | undefined;
}

/** Simulates real members of one group with an in-memory API server, on a clock that stops while the members work. */
export async function simulateSharing(replicas: number): Promise<Sharing> {
  const group = await ReplicaGroup.start(replicas);
  const idleTraffic = await group.traffic();
  group.stop();
  if (replicas === 1) return { replicas, idleTraffic, takeover: undefined };
  const takeovers = [];
  for (const killDelayMs of KILL_DELAYS_MS) takeovers.push(await takeover(replicas, killDelayMs));
  const times = takeovers.map(({ tookMs }) => tookMs);
  const movedShards = Math.max(...takeovers.map((each) => each.movedShards));
  return { replicas, idleTraffic, takeover: { medianMs: median(times), longestMs: Math.max(...times), movedShards } };
}

async function takeover(replicas: number, killDelayMs: number): Promise<{ tookMs: number; movedShards: number }> {
  const group = await ReplicaGroup.start(replicas);
  await group.advance(killDelayMs);
  const orphans = group.kill();
  const before = group.holders();
  let durationMs = 0;
  while (orphans.some((shard) => group.holders()[shard] === undefined)) {
    if (durationMs > TAKEOVER_TIMEOUT_MS) throw new Error('the shards of a killed replica were not taken over');
    await group.advance(STEP_MS);
    durationMs += STEP_MS;
  }
  const after = group.holders();
  group.stop();
  return { tookMs: durationMs, movedShards: after.filter((holder, shard) => holder !== before[shard]).length };
}

class ReplicaGroup {
  readonly #server: TestServer;
  readonly #members: {
    readonly member: ShardMember;
    readonly line: CountingTransport;
    readonly stop: AbortController;
  }[] = [];

  private constructor(server: TestServer) {
    this.#server = server;
  }

  /** Resolves when all shards are assigned and the assignment is stable. */
  static async start(replicas: number): Promise<ReplicaGroup> {
    const server = new TestServer({ resources: [...testResources, kindOf(Leases)], definitions: builtinDefinitions() });
    await server.call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    const group = new ReplicaGroup(server);
    const random = seededRandom(1);
    for (const identity of replicaNames(replicas)) {
      const line = new CountingTransport(server.transport);
      const { clock } = server;
      const client = new KubeClient(line, { clock });
      const options = { client, namespace: NAMESPACE, name: 'fairway', identity, shards: SHARD_COUNT, clock, random };
      const member = new ShardMember(options);
      const stop = new AbortController();
      group.#members.push({ member, line, stop });
      member.start(stop.signal);
      // Replicas neither start at the same moment nor renew their leases at the same moment.
      await server.clock.advance(random() * 2_000);
    }
    await group.advance(SETTLE_MS);
    return group;
  }

  async advance(durationMs: number): Promise<void> {
    for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs += STEP_MS) await this.#server.clock.advance(STEP_MS);
  }

  async traffic(): Promise<Traffic> {
    const count = () => ({ writes: sum(this.#transports, 'writes'), events: sum(this.#transports, 'events') });
    const before = count();
    await this.advance(MEASURE_MS);
    const after = count();
    const perSecond = (counter: 'writes' | 'events') => ((after[counter] - before[counter]) * 1000) / MEASURE_MS;
    return { writesPerSecond: perSecond('writes'), eventsPerSecond: perSecond('events') };
  }

  /** Cuts off the first replica, and returns its shards. */
  kill(): readonly number[] {
    const [victim] = this.#members.splice(0, 1);
    if (victim === undefined) throw new Error('there is no replica');
    const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard).filter((shard) =>
      victim.member.holds(shard),
    );
    victim.line.cut();
    victim.stop.abort();
    return shards;
  }

  /** The index of the member that holds each shard. */
  holders(): readonly (number | undefined)[] {
    return Array.from({ length: SHARD_COUNT }, (_, shard) => {
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

  get #transports(): readonly CountingTransport[] {
    return this.#members.map(({ line }) => line);
  }
}

function sum(lines: readonly CountingTransport[], counter: 'writes' | 'events'): number {
  return lines.reduce((total, line) => total + line[counter], 0);
}

/** A replica's transport, which counts requests and events, and is cut off when the replica is killed. */
class CountingTransport implements Transport {
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
    return { ...response, text: () => response.text(), lines: () => this.#countEvents(response.lines()) };
  }

  async *#countEvents(lines: AsyncIterable<string>): AsyncIterable<string> {
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
