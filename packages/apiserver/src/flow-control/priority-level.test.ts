import { FakeClock } from '@fairway/base/clock-fake';
import type { QueuingConfiguration } from '@fairway/kube/kinds/generated/types';
import { isApiError } from '@fairway/kube/object/api-error';
import { beforeEach, describe, expect, it } from 'vitest';
import { FlowCounts } from './flow-counts.ts';
import { type LeaveSeats, PriorityLevel } from './priority-level.ts';

let clock: FakeClock;
let counts: FlowCounts;
beforeEach(() => {
  clock = new FakeClock();
  counts = new FlowCounts();
});

function levelOf(seats: number, queuing?: QueuingConfiguration): PriorityLevel {
  const limitResponse = queuing ? { type: 'Queue', queuing } : { type: 'Reject' };
  const configuration = { metadata: { name: 'a' }, spec: { type: 'Limited', limited: { limitResponse } } };
  const level = new PriorityLevel(configuration, clock, () => 0.5);
  level.configure(configuration, { nominal: seats, min: seats, max: seats });
  level.limit = seats;
  return level;
}

function enter(
  level: PriorityLevel,
  flow = 'alice',
  { seats = 1, signal }: { seats?: number; signal?: AbortSignal } = {},
) {
  return level.enter({ flow, seats, counts, waitMs: 5000, signal: () => signal });
}

/** Sends one request per flow, each of which takes `ms`; returns the flows in the order in which they were served. */
async function servedInOrder(level: PriorityLevel, flows: readonly string[], ms = 10): Promise<string[]> {
  const served: string[] = [];
  const runs = flows.map(async (flow) => {
    const entered = enter(level, flow);
    const release = entered instanceof Promise ? await entered : entered;
    served.push(flow);
    await clock.sleep(ms);
    release();
  });
  await clock.advance(ms * (flows.length + 1));
  await Promise.all(runs);
  return served;
}

function times(length: number, flow: string): string[] {
  return Array.from({ length }, () => flow);
}

const ONE_QUEUE = { queues: 1, handSize: 1, queueLengthLimit: 2 };
const MANY_QUEUES = { queues: 128, handSize: 4, queueLengthLimit: 50 };

describe('a level without queues', () => {
  it('admits as many requests as it has seats, and rejects the rest', () => {
    const level = levelOf(2);
    const release = enter(level) as LeaveSeats;
    void enter(level);

    expect(() => enter(level)).toThrow(expect.objectContaining({ code: 429, retryAfterSeconds: 1 }));
    release();
    void enter(level);

    expect([...(counts.rejected ?? [])]).toEqual([['concurrency-limit', 1]]);
    expect([counts.dispatched, counts.executing, counts.executingSeats]).toEqual([3, 2, 2]);
  });

  it('admits a request that is wider than the level, but runs it alone', () => {
    const level = levelOf(2);
    const release = enter(level, 'alice', { seats: 5 }) as LeaveSeats;

    expect(() => enter(level)).toThrow(/Too many requests/);
    release();
    void enter(level);
    expect(() => enter(level, 'alice', { seats: 5 })).toThrow(/Too many requests/);
  });
});

describe('a level with queues', () => {
  it('queues requests for seats, in order', async () => {
    const level = levelOf(1, ONE_QUEUE);

    expect(await servedInOrder(level, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    expect([counts.waiting, counts.waitingSeats, counts.executing]).toEqual([0, 0, 0]);
    expect(counts.waits?.executed.sum).toBeCloseTo(0.03);
  });

  it('rejects a request if the queue of its flow is full', async () => {
    const level = levelOf(1, ONE_QUEUE);
    void enter(level);
    const waiting = [enter(level), enter(level)].map((entered) => Promise.resolve(entered).catch(() => undefined));

    expect(() => enter(level)).toThrow(expect.objectContaining({ code: 429 }));
    expect([...(counts.rejected ?? [])]).toEqual([['queue-full', 1]]);
    await clock.advance(5000);
    await Promise.all(waiting);
  });

  it('rejects a request that has waited too long, and cancels its timer', async () => {
    const level = levelOf(1, ONE_QUEUE);
    const release = enter(level) as LeaveSeats;
    const late = Promise.resolve(enter(level)).catch((error: unknown) => isApiError(error, 'TooManyRequests'));
    await clock.advance(4999);
    const second = enter(level) as Promise<LeaveSeats>;
    await clock.advance(1);

    expect(await late).toBe(true);
    expect([...(counts.rejected ?? [])]).toEqual([['time-out', 1]]);
    release();
    (await second)();
    expect([counts.waiting, counts.executing, clock.pendingTimers]).toEqual([0, 0, 0]);
  });

  it('drops a request whose client disconnects', async () => {
    const level = levelOf(1, ONE_QUEUE);
    const release = enter(level) as LeaveSeats;
    const client = new AbortController();
    const abortedRequest = Promise.resolve(enter(level, 'alice', { signal: client.signal })).catch(() => 'gone');
    client.abort();

    expect(await abortedRequest).toBe('gone');
    release();
    expect([counts.dispatched, counts.waiting, clock.pendingTimers]).toEqual([1, 0, 0]);
  });

  it('does not queue a request whose client has already disconnected', async () => {
    const level = levelOf(1, ONE_QUEUE);
    void enter(level);

    await expect(enter(level, 'alice', { signal: AbortSignal.abort() })).rejects.toThrow(/Too many requests/);
    expect([counts.waiting, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('does not make a single request wait for a whole flood', async () => {
    const level = levelOf(1, MANY_QUEUES);
    const flood = times(100, 'flood');

    const served = await servedInOrder(level, [...flood, 'alice', 'bob']);
    // One request runs, and each of the flood's four queues may be served once first.
    expect(served.indexOf('alice')).toBeLessThan(8);
    expect(served.indexOf('bob')).toBeLessThan(8);
    expect(served).toHaveLength(102);
  });

  it('serves queues equally, regardless of their length', async () => {
    const level = levelOf(1, { queues: 1000, handSize: 1, queueLengthLimit: 100 });
    const served = await servedInOrder(level, [...times(60, 'much'), ...times(20, 'little')]);
    const first = served.slice(0, 41);

    expect(first.filter((flow) => flow === 'little')).toHaveLength(20);
  });

  it('accounts for the duration of requests, so slow flows get fewer turns', async () => {
    const level = levelOf(1, { queues: 1000, handSize: 1, queueLengthLimit: 100 });
    const served: string[] = [];
    const runs = [...times(30, 'slow'), ...times(30, 'fast')].map(async (flow) => {
      const release = await enter(level, flow);
      served.push(flow);
      await clock.sleep(flow === 'slow' ? 40 : 10);
      release();
    });
    await clock.advance(500);
    const early = [...served];
    const count = (flow: string) => early.filter((other) => other === flow).length;

    expect(count('fast') / count('slow')).toBeGreaterThan(2.5);
    await clock.advance(2000);
    await Promise.all(runs);
  });

  it('reserves room for a wide request that is next', async () => {
    const level = levelOf(4, { queues: 1, handSize: 1, queueLengthLimit: 10 });
    const leaves = [enter(level), enter(level), enter(level)] as LeaveSeats[];
    const wide = enter(level, 'wide', { seats: 3 }) as Promise<LeaveSeats>;
    const narrow = enter(level) as Promise<LeaveSeats>;

    expect([counts.executing, counts.waiting]).toEqual([3, 2]);
    for (const release of leaves) release();
    (await wide)();
    (await narrow)();
    expect([counts.executing, counts.waiting]).toEqual([0, 0]);
  });
});
