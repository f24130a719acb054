import { expect, test } from 'vitest';
import { eventsPage } from './events-page.ts';
import { eventsQuery, formatPosition } from './events-query.ts';

const NOW_MS = Date.parse('2026-01-01T01:00:00Z');

function entry(id: string, second: number, more: object = {}): string {
  const time = `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`;
  return `${time} ${JSON.stringify({ kind: 'Event', auditID: id, stageTimestamp: time, verb: 'create', ...more })}`;
}

function idsOf(entries: readonly string[], query: string, createdMs = 0): string[] {
  return eventsPage(entries, eventsQuery(new URLSearchParams(query), NOW_MS), createdMs).events.map(
    ({ auditID }) => auditID,
  );
}

test('lists events newest first, without duplicates or incomplete ones', () => {
  const entries = [entry('a', 1), entry('c', 3), entry('b', 2), entry('b', 2), '2026-01-01T00:00:04.000000Z {"au}'];

  expect(idsOf(entries, '')).toEqual(['c', 'b', 'a']);
});

test('omits events from before the namespace was created', () => {
  expect(idsOf([entry('a', 1), entry('b', 2)], '', Date.parse('2026-01-01T00:00:02Z'))).toEqual(['b']);
});

test.each([
  ['limit=1', ['d']],
  ['limit=0', ['d', 'c', 'b', 'a']],
  ['sinceTime=2026-01-01T00:00:03Z', ['d', 'c']],
  ['sinceTime=2026-01-01T01:00:03%2B01:00', ['d', 'c']],
  ['sinceSeconds=3597', ['d', 'c']],
  ['sinceSeconds=999999999999999', ['d', 'c', 'b', 'a']],
  ['fieldSelector=verb%3Ddelete', ['c']],
  ['fieldSelector=verb!%3Ddelete', ['d', 'b', 'a']],
  ['fieldSelector=user.username%3Dbob,verb%3Dcreate', ['b']],
  ['fieldSelector=responseStatus.code%3D409', ['d']],
  ['fieldSelector=objectRef.name%3D', ['d', 'c', 'b', 'a']],
])('%s leaves %j', (query, ids) => {
  const entries = [
    entry('a', 1),
    entry('b', 2, { user: { username: 'bob' } }),
    entry('c', 3, { verb: 'delete', user: { username: 'bob' } }),
    entry('d', 4, { responseStatus: { code: 409 } }),
  ];

  expect(idsOf(entries, query)).toEqual(ids);
});

test.each([
  ['limit=-1', /limit: "-1" is not a whole number/],
  ['sinceTime=yesterday', /sinceTime: "yesterday" is not a time/],
  ['sinceTime=2026-01-01T00:00:00Z&sinceSeconds=1', /specify only one of them/],
  ['labelSelector=a', /audit events have no labels/],
  ['fieldSelector=metadata.name%3Da', /"metadata.name" is not one of auditID, verb/],
  ['fieldSelector=verb', /invalid selector/],
  ['continue=x', /invalid continue token/],
])('refuses %s', (query, message) => {
  expect(() => eventsQuery(new URLSearchParams(query), NOW_MS)).toThrow(message);
});

test.each([1, 2, 3, 7])(
  'returns every event once in pages of %i, even at equal times and as new ones arrive',
  (limit) => {
    const entries = Array.from({ length: 20 }, (_, index) => entry(`e${index}`, Math.floor(index / 4)));
    const ids: string[] = [];
    let token = '';
    do {
      const query = eventsQuery(new URLSearchParams({ limit: String(limit), continue: token }), NOW_MS);
      const { events, next } = eventsPage(entries, query, 0);
      expect(events.length).toBeLessThanOrEqual(limit);
      ids.push(...events.map(({ auditID }) => auditID));
      token = next === undefined ? '' : formatPosition(next);
      entries.push(entry(`new${ids.length}`, 50));
    } while (token !== '');

    expect(ids).toHaveLength(20);
    expect(new Set(ids).size).toBe(20);
  },
);

test('continues a page with a selector where the previous one was full', () => {
  const entries = [1, 2, 3, 4, 5, 6].map((second) =>
    entry(`e${second}`, second, { verb: second % 2 ? 'get' : 'create' }),
  );
  const first = eventsPage(entries, eventsQuery(new URLSearchParams('limit=2&fieldSelector=verb=get'), NOW_MS), 0);
  const token = first.next ? formatPosition(first.next) : '';

  expect(first.events.map(({ auditID }) => auditID)).toEqual(['e5', 'e3']);
  expect(idsOf(entries, `limit=2&fieldSelector=verb=get&continue=${token}`)).toEqual(['e1']);
});

test('limits a page to about one MiB, whatever the limit parameter is', () => {
  const entries = Array.from({ length: 100 }, (_, index) =>
    entry(`e${index}`, index % 60, { userAgent: 'x'.repeat(30_000) }),
  );
  const { events, next } = eventsPage(entries, eventsQuery(new URLSearchParams(), NOW_MS), 0);

  expect(JSON.stringify(events).length).toBeLessThan(1_100_000);
  expect(next).toBeDefined();
});
