import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../api/failure.ts';
import { ActivityLog, type EventList } from './activity-log.ts';
import type { AuditEvent } from './audit-event.ts';
import type { Filters } from './filters.ts';

const FILTERS: Filters = { user: '', verb: '', object: '', since: '', isUnsuccessful: false };

/** The event at the given second; later seconds are newer. */
function event(second: number, more: Partial<AuditEvent> = {}): AuditEvent {
  const time = `2026-11-26T10:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}.000000Z`;
  return { auditID: `id-${second}`, verb: 'create', stageTimestamp: time, ...more };
}

/** Events at the given seconds, newest first. */
function page(from: number, to: number, next?: string): EventList {
  const items = Array.from({ length: from - to + 1 }, (_, index) => event(from - index));
  return { metadata: next === undefined ? {} : { continue: next }, items };
}

let requestedPaths: string[];
let responses: (EventList | Failure)[];
let nowMs: number;
let retryAfterCases: number[];
let log: ActivityLog;
beforeEach(() => {
  requestedPaths = [];
  responses = [];
  nowMs = 0;
  retryAfterCases = [];
  log = new ActivityLog({
    path: '/events',
    filters: FILTERS,
    now: () => nowMs,
    random: () => 0,
    list: (path) => {
      requestedPaths.push(path);
      const response = responses.shift();
      return response instanceof Failure ? Promise.reject(response) : Promise.resolve(response ?? {});
    },
    pause: (ms) => {
      retryAfterCases.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
  });
});

const ids = () => log.get().events.map(({ auditID }) => Number(auditID.slice('id-'.length)));
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);

it('reads the newest events and records when', async () => {
  nowMs = 77;
  responses.push(page(60, 31, 'more'));
  await log.refresh();

  expect(ids()).toEqual(range(60, 31));
  expect(log.get()).toMatchObject({
    hasOlder: true,
    isFull: false,
    reading: undefined,
    readAtMs: 77,
    failure: undefined,
  });
});

it('reads older events until none are left', async () => {
  responses.push(page(90, 61, 'more'), page(60, 31, 'rest'), page(30, 1));
  await log.refresh();
  await log.loadOlder();
  await log.loadOlder();
  await log.loadOlder();

  expect(ids()).toEqual(range(90, 1));
  expect(requestedPaths).toEqual([
    '/events?limit=100',
    '/events?limit=100&continue=more',
    '/events?limit=100&continue=rest',
  ]);
  expect(log.get().hasOlder).toBe(false);
});

it('continues after a short or empty page, and reads at most five pages per request', async () => {
  responses.push({ metadata: { continue: 'a' } }, { metadata: { continue: 'b' }, items: [] }, page(60, 30));
  await log.refresh();
  expect(ids()).toEqual(range(60, 30));

  requestedPaths = [];
  responses.push(...Array.from({ length: 9 }, (_, index) => ({ metadata: { continue: `${index}` }, items: [] })));
  await log.refresh();

  expect(requestedPaths.length).toBe(5);
  expect(log.get()).toMatchObject({ events: [], hasOlder: true });
  await log.loadOlder();
  expect(requestedPaths[5]).toBe('/events?limit=100&continue=4');
});

describe('a refresh', () => {
  it('puts new events in front of all known events', async () => {
    responses.push(page(60, 31, 'more'), page(30, 1), page(65, 36, 'later'));
    await log.refresh();
    await log.loadOlder();
    await log.refresh();

    expect(ids()).toEqual(range(65, 1));
    expect(log.get().hasOlder).toBe(false);
  });

  it('inserts late events in order', async () => {
    responses.push(page(60, 31, 'more'));
    await log.refresh();
    const late = event(55, { auditID: 'id-5500' });
    responses.push({ metadata: { continue: 'x' }, items: [event(60), late, ...(page(59, 36).items ?? [])] });
    await log.refresh();

    expect(ids()).toEqual([60, 5500, ...range(59, 31)]);
  });

  it('discards known events if there is a gap', async () => {
    responses.push(page(60, 31, 'more'), page(600, 571, 'next'), page(570, 541));
    await log.refresh();
    await log.refresh();
    await log.loadOlder();

    expect(ids()).toEqual(range(600, 541));
    expect(requestedPaths[2]).toBe('/events?limit=100&continue=next');
  });

  it('drops events that the server no longer has', async () => {
    responses.push(page(60, 31), page(60, 50));
    await log.refresh();
    await log.refresh();

    expect(ids()).toEqual(range(60, 50));
  });
});

describe('a busy or unreachable server', () => {
  it('is retried automatically, but not before its Retry-After', async () => {
    responses.push(new Failure(429, 'slow down', { retryAfterMs: 7_000 }), page(60, 31));
    const readingStates: (number | undefined)[] = [];
    log.subscribe(() => readingStates.push(log.get().retryAtMs));
    await log.refresh();

    expect(retryAfterCases).toEqual([7_000]);
    expect(readingStates).toContain(7_000);
    expect(log.get()).toMatchObject({ failure: undefined, retryAtMs: undefined });
    expect(ids()).toEqual(range(60, 31));
  });

  it('is not retried early when the network comes back', async () => {
    const earlyMs = new ActivityLog({
      path: '/events',
      filters: FILTERS,
      now: () => nowMs,
      random: () => 0,
      list: () => {
        requestedPaths.push(`at ${nowMs}`);
        const response = responses.shift();
        return response instanceof Failure ? Promise.reject(response) : Promise.resolve(response ?? {});
      },
      pause: () => {
        nowMs += 1_000;
        return Promise.resolve();
      },
    });
    responses.push(new Failure(429, 'slow down', { retryAfterMs: 3_000 }));
    await earlyMs.refresh();

    expect(requestedPaths).toEqual(['at 0', 'at 3000']);
  });

  it('is retried with growing delays, and keeps the events read earlier', async () => {
    responses.push(page(60, 31, 'more'), ...[1, 2, 3].map(() => new Failure(503, 'away')), page(30, 1));
    await log.refresh();
    await log.loadOlder();

    expect(retryAfterCases).toEqual([250, 500, 1_000]);
    expect(ids()).toEqual(range(60, 1));
  });

  it('gets one request at a time', async () => {
    responses.push(page(60, 31, 'more'), page(30, 1));
    await log.refresh();
    await Promise.all([log.loadOlder(), log.loadOlder(), log.refresh()]);

    expect(requestedPaths.length).toBe(2);
  });
});

it.each([401, 403])('removes events that the user may no longer read: %d', async (code) => {
  responses.push(page(60, 31, 'more'), new Failure(code, 'no'));
  await log.refresh();
  await log.loadOlder();

  expect(log.get()).toMatchObject({ events: [], hasOlder: false, failure: { code }, reading: undefined });
  expect(retryAfterCases).toEqual([]);
});

it('keeps two thousand events, and truncates their fields', async () => {
  const longText = 'x'.repeat(20_000);
  const items =
    page(2_500, 1).items?.map((each) => ({ ...each, userAgent: longText, requestObject: { long: longText } })) ?? [];
  responses.push({ metadata: { continue: 'more' }, items });
  await log.refresh();
  await log.loadOlder();

  expect(log.get()).toMatchObject({ isFull: true, hasOlder: true });
  expect(requestedPaths.length).toBe(1);
  expect(log.get().events.length).toBe(2_000);
  expect(JSON.stringify(log.get().events).length).toBeLessThan(2_000 * 10_000);
});

it('sends no more requests after it is stopped', async () => {
  const abortedLog = log.refresh();
  log.stop();
  await abortedLog;

  expect(log.get()).toMatchObject({ events: [], readAtMs: undefined });
});
