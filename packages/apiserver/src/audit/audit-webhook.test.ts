import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { type Transport, TransportError, type TransportRequest } from '@fairway/kube/client/transport';
import { describe, expect, test } from 'vitest';
import { AuditWebhook, type AuditWebhookTiming, DEFAULT_WEBHOOK_TIMING, type WebhookLoss } from './audit-webhook.ts';

type Behaviour = number | 'silent' | 'closes';

/** A receiver of audit events with configurable behaviour. */
class Receiver implements Transport {
  behaviour: Behaviour = 200;
  isClosed = false;
  readonly requests: { readonly atMs: number; readonly request: TransportRequest }[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get batches(): string[][] {
    return this.requests.map(({ request }) => {
      const { items } = JSON.parse(request.body ?? '') as { items: { auditID: string }[] };
      return items.map(({ auditID }) => auditID);
    });
  }

  request(request: TransportRequest) {
    this.requests.push({ atMs: this.#now(), request });
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<Transport['request']>>>();
    request.signal?.addEventListener('abort', () => reject(request.signal?.reason));
    if (this.behaviour === 'closes') reject(new TransportError('POST : socket hang up'));
    else if (this.behaviour !== 'silent') {
      const lines = async function* () {};
      resolve({ status: this.behaviour, headers: {}, text: () => Promise.resolve('{}'), lines });
    }
    return promise;
  }

  close(): void {
    this.isClosed = true;
  }
}

function setUp(timing: Partial<AuditWebhookTiming> = {}) {
  const clock = new FakeClock();
  const receiver = new Receiver(() => clock.now());
  const counts = { sent: 0, failed: 0, lost: { buffer_full: 0, rejected: 0, shutdown: 0 } };
  const webhook = new AuditWebhook({
    ...DEFAULT_WEBHOOK_TIMING,
    ...timing,
    transport: receiver,
    observer: {
      onSent: (events) => void (counts.sent += events),
      onLost: (reason: WebhookLoss, events: number) => void (counts.lost[reason] += events),
      onSendFailed: () => void counts.failed++,
    },
    clock,
    random: () => 1,
    log: silentLogger,
  });
  const record = (...ids: readonly (string | number)[]) => {
    for (const id of ids) webhook.record(`{"auditID":"${id}"}`);
  };
  return { clock, receiver, counts, webhook, record };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test("sends a batch's events together as an EventList after the maximum wait", async () => {
  const { clock, receiver, counts, record } = setUp();
  record('a', 'b');
  await clock.advance(29_999);
  expect(receiver.requests).toHaveLength(0);
  await clock.advance(1);

  expect(receiver.requests[0]?.request).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[{"auditID":"a"},{"auditID":"b"}]}',
  });
  expect(counts).toEqual({ sent: 2, failed: 0, lost: { buffer_full: 0, rejected: 0, shutdown: 0 } });
});

test('sends each event without waiting for the next, regardless of their timing', async () => {
  const { clock, counts, record } = setUp({ maxBatchSize: 1 });
  for (let ticks = 0; ticks < 24; ticks++) {
    record('a');
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    record('b');
    await clock.advance(60_000);
    expect(counts.sent).toBe(2 * (ticks + 1));
  }
});

test('sends a full batch immediately, and later events in the next one', async () => {
  const { clock, receiver, record } = setUp({ maxBatchSize: 3 });
  record(...upTo(7));
  await clock.advance(0);
  expect(receiver.batches).toEqual([
    ['0', '1', '2'],
    ['3', '4', '5'],
  ]);
  await clock.advance(30_000);

  expect(receiver.batches[2]).toEqual(['6']);
});

test('limits the request rate, after a burst', async () => {
  const { clock, receiver, record } = setUp({ maxBatchSize: 1, throttleQps: 2, throttleBurst: 3 });
  record(...upTo(20));
  await clock.advance(0);
  expect(receiver.requests).toHaveLength(3);
  await clock.advance(2_000);

  expect(receiver.requests).toHaveLength(7);
});

describe('a receiver of audit events', () => {
  test.each<Behaviour>([500, 503, 429, 401, 403, 404, 301, 'closes'])(
    'is called again once a minute while it responds with %s, and then gets all events in order',
    async (behaviour) => {
      const { clock, receiver, counts, record } = setUp({ maxBatchSize: 2 });
      receiver.behaviour = behaviour;
      record('a', 'b', 'c');
      await clock.advance(0);
      const delays: number[] = [];
      for (let seconds = 0; seconds < 3600; seconds++) await clock.advance(1_000);
      for (const [index, { atMs }] of receiver.requests.entries()) {
        if (index > 0) delays.push(atMs - (receiver.requests[index - 1]?.atMs ?? 0));
      }
      expect(delays.slice(0, 5)).toEqual([10_000, 20_000, 40_000, 60_000, 60_000]);
      expect(receiver.requests.length).toBeLessThanOrEqual(63);
      expect(counts).toMatchObject({ sent: 0, failed: receiver.requests.length });
      const failed = receiver.requests.length;
      receiver.behaviour = 200;
      await clock.advance(60_000);
      await clock.advance(30_000);

      expect(receiver.batches.slice(failed)).toEqual([['a', 'b'], ['c']]);
      expect(counts).toMatchObject({ sent: 3, lost: { buffer_full: 0, rejected: 0, shutdown: 0 } });
    },
  );

  test.each([400, 413, 422])(
    'does not receive the same events again after responding with %i, and is not called for a while',
    async (status) => {
      const { clock, receiver, counts, record } = setUp({ maxBatchSize: 1 });
      receiver.behaviour = status;
      record('a', 'b');
      await clock.advance(0);
      expect(receiver.batches).toEqual([['a']]);
      receiver.behaviour = 200;
      await clock.advance(10_000);

      expect(receiver.batches).toEqual([['a'], ['b']]);
      expect(counts).toEqual({ sent: 1, failed: 1, lost: { buffer_full: 0, rejected: 1, shutdown: 0 } });
    },
  );

  test('only causes the buffer to fill up if it does not respond; excess events are counted as lost', async () => {
    const { clock, receiver, counts, record } = setUp({ maxBatchSize: 2, bufferSize: 5 });
    receiver.behaviour = 'silent';
    record(...upTo(8));
    await clock.advance(0);

    expect(receiver.requests).toHaveLength(1);
    expect(counts.lost).toEqual({ buffer_full: 3, rejected: 0, shutdown: 0 });
  });

  test('causes at most 32 MiB of events to be buffered if it does not respond', () => {
    const { receiver, counts, webhook } = setUp();
    receiver.behaviour = 'silent';
    for (let count = 0; count < 400; count++) webhook.record(JSON.stringify({ object: 'x'.repeat(100_000) }));

    expect(counts.lost.buffer_full).toBe(400 - Math.floor((32 * 1024 * 1024) / 100_013));
  });
});

describe('a graceful shutdown', () => {
  test('sends the buffered events', async () => {
    const { receiver, counts, webhook, record } = setUp({ maxBatchSize: 2 });
    record('a', 'b', 'c');
    await webhook.close();
    record('late');

    expect(receiver.batches).toEqual([['a', 'b'], ['c']]);
    expect(receiver.isClosed).toBe(true);
    expect(counts).toEqual({ sent: 3, failed: 0, lost: { buffer_full: 0, rejected: 0, shutdown: 1 } });
  });

  test('makes one more attempt if the receiver fails, and reports lost events', async () => {
    const { clock, receiver, counts, webhook, record } = setUp({ maxBatchSize: 2 });
    receiver.behaviour = 500;
    record('a', 'b', 'c');
    await clock.advance(0);
    await webhook.close();

    expect(receiver.requests).toHaveLength(2);
    expect(counts.lost.shutdown).toBe(3);
  });

  test('waits five seconds for a receiver that does not respond', async () => {
    const { clock, receiver, counts, webhook, record } = setUp({ maxBatchSize: 1 });
    receiver.behaviour = 'silent';
    record('a', 'b');
    await clock.advance(0);
    let isClosed = false;
    const closing = webhook.close().then(() => {
      isClosed = true;
    });
    await clock.advance(4_999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    await closing;

    expect(counts.lost.shutdown).toBe(2);
  });
});
