import { beforeEach, describe, expect, it } from 'vitest';
import { Failure } from '../api/failure.ts';
import { ActivityLog, type EventList } from './activity-log.ts';
import type { AuditEvent } from './audit-event.ts';
import type { Filters } from './filters.ts';

const FILTERS: Filters = { user: '', verb: '', object: '', since: '', isUnsuccessful: false };

/** The event of a second: the later, the newer. */
function event(second: number, more: Partial<AuditEvent> = {}): AuditEvent {
  const time = `2026-11-26T10:${String(Math.floor(second / 60)).padStart(2, '0')}:${String(second % 60).padStart(2, '0')}.000000Z`;
  return { auditID: `id-${second}`, verb: 'create', stageTimestamp: time, ...more };
}

/** Events of seconds, the newest first. */
function page(from: number, to: number, next?: string): EventList {
  const items = Array.from({ length: from - to + 1 }, (_, index) => event(from - index));
  return { metadata: next === undefined ? {} : { continue: next }, items };
}

let asked: string[];
let answers: (EventList | Failure)[];
let nowMs: number;
let waitsMs: number[];
let log: ActivityLog;
beforeEach(() => {
  asked = [];
  answers = [];
  nowMs = 0;
  waitsMs = [];
  log = new ActivityLog({
    path: '/events',
    filters: FILTERS,
    now: () => nowMs,
    random: () => 0,
    list: (path) => {
      asked.push(path);
      const answer = answers.shift();
      return answer instanceof Failure ? Promise.reject(answer) : Promise.resolve(answer ?? {});
    },
    pause: (ms) => {
      waitsMs.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
  });
});

const ids = () => log.get().events.map(({ auditID }) => Number(auditID.slice('id-'.length)));
const range = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);

it('reads the newest, and says when', async () => {
  nowMs = 77;
  answers.push(page(60, 31, 'more'));
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

it('goes on with older ones until there are no more', async () => {
  answers.push(page(90, 61, 'more'), page(60, 31, 'rest'), page(30, 1));
  await log.refresh();
  await log.older();
  await log.older();
  await log.older();

  expect(ids()).toEqual(range(90, 1));
  expect(asked).toEqual(['/events?limit=100', '/events?limit=100&continue=more', '/events?limit=100&continue=rest']);
  expect(log.get().hasOlder).toBe(false);
});

it('does not take a short or an empty page for the end, and looks no further than five at once', async () => {
  answers.push({ metadata: { continue: 'a' } }, { metadata: { continue: 'b' }, items: [] }, page(60, 30));
  await log.refresh();
  expect(ids()).toEqual(range(60, 30));

  asked = [];
  answers.push(...Array.from({ length: 9 }, (_, index) => ({ metadata: { continue: `${index}` }, items: [] })));
  await log.refresh();

  expect(asked.length).toBe(5);
  expect(log.get()).toMatchObject({ events: [], hasOlder: true });
  await log.older();
  expect(asked[5]).toBe('/events?limit=100&continue=4');
});

describe('refreshed', () => {
  it('has what has come since before what was there, older ones included', async () => {
    answers.push(page(60, 31, 'more'), page(30, 1), page(65, 36, 'later'));
    await log.refresh();
    await log.older();
    await log.refresh();

    expect(ids()).toEqual(range(65, 1));
    expect(log.get().hasOlder).toBe(false);
  });

  it('has what came late between what was there', async () => {
    answers.push(page(60, 31, 'more'));
    await log.refresh();
    const late = event(55, { auditID: 'id-5500' });
    answers.push({ metadata: { continue: 'x' }, items: [event(60), late, ...(page(59, 36).items ?? [])] });
    await log.refresh();

    expect(ids()).toEqual([60, 5500, ...range(59, 31)]);
  });

  it('begins anew where there is a gap', async () => {
    answers.push(page(60, 31, 'more'), page(600, 571, 'next'), page(570, 541));
    await log.refresh();
    await log.refresh();
    await log.older();

    expect(ids()).toEqual(range(600, 541));
    expect(asked[2]).toBe('/events?limit=100&continue=next');
  });

  it('drops events that the server no longer has', async () => {
    answers.push(page(60, 31), page(60, 50));
    await log.refresh();
    await log.refresh();

    expect(ids()).toEqual(range(60, 50));
  });
});

describe('a server that is busy or away', () => {
  it('is asked again by itself, not before it wants to be', async () => {
    answers.push(new Failure(429, 'slow down', { retryAfterMs: 7_000 }), page(60, 31));
    const seen: (number | undefined)[] = [];
    log.subscribe(() => seen.push(log.get().againAtMs));
    await log.refresh();

    expect(waitsMs).toEqual([7_000]);
    expect(seen).toContain(7_000);
    expect(log.get()).toMatchObject({ failure: undefined, againAtMs: undefined });
    expect(ids()).toEqual(range(60, 31));
  });

  it('is not asked early because the network has come back', async () => {
    const early = new ActivityLog({
      path: '/events',
      filters: FILTERS,
      now: () => nowMs,
      random: () => 0,
      list: () => {
        asked.push(`at ${nowMs}`);
        const answer = answers.shift();
        return answer instanceof Failure ? Promise.reject(answer) : Promise.resolve(answer ?? {});
      },
      pause: () => {
        nowMs += 1_000;
        return Promise.resolve();
      },
    });
    answers.push(new Failure(429, 'slow down', { retryAfterMs: 3_000 }));
    await early.refresh();

    expect(asked).toEqual(['at 0', 'at 3000']);
  });

  it('is waited for longer each time, and what was read stays', async () => {
    answers.push(page(60, 31, 'more'), ...[1, 2, 3].map(() => new Failure(503, 'away')), page(30, 1));
    await log.refresh();
    await log.older();

    expect(waitsMs).toEqual([250, 500, 1_000]);
    expect(ids()).toEqual(range(60, 1));
  });

  it('is asked for one thing at a time', async () => {
    answers.push(page(60, 31, 'more'), page(30, 1));
    await log.refresh();
    await Promise.all([log.older(), log.older(), log.refresh()]);

    expect(asked.length).toBe(2);
  });
});

it.each([401, 403])('shows nothing any more that may not be read any more: %d', async (code) => {
  answers.push(page(60, 31, 'more'), new Failure(code, 'no'));
  await log.refresh();
  await log.older();

  expect(log.get()).toMatchObject({ events: [], hasOlder: false, failure: { code }, reading: undefined });
  expect(waitsMs).toEqual([]);
});

it('keeps two thousand, and what somebody reads of each', async () => {
  const long = 'x'.repeat(20_000);
  const items = page(2_500, 1).items?.map((each) => ({ ...each, userAgent: long, requestObject: { long } })) ?? [];
  answers.push({ metadata: { continue: 'more' }, items });
  await log.refresh();
  await log.older();

  expect(log.get()).toMatchObject({ isFull: true, hasOlder: true });
  expect(asked.length).toBe(1);
  expect(log.get().events.length).toBe(2_000);
  expect(JSON.stringify(log.get().events).length).toBeLessThan(2_000 * 10_000);
});

it('asks nobody any more when it is left', async () => {
  const abandoned = log.refresh();
  log.stop();
  await abandoned;

  expect(log.get()).toMatchObject({ events: [], readAtMs: undefined });
});
