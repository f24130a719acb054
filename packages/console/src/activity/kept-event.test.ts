import { expect, it } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import { keptEvent } from './kept-event.ts';

const LONG = 'x'.repeat(400 * 1024);
const EVENT: AuditEvent = { auditID: 'a', verb: 'create', stageTimestamp: '2026-11-26T10:00:00.000000Z' };

it.each<{ what: string; event: Partial<AuditEvent> }>([
  { what: 'an object', event: { objectRef: { resource: LONG, subresource: LONG, namespace: LONG, name: LONG } } },
  { what: 'a user', event: { user: { username: LONG, extra: { [LONG]: [LONG] } } } },
  {
    what: 'a client',
    event: { userAgent: LONG, sourceIPs: Array.from({ length: 1_000 }, () => LONG.slice(0, 9_999)) },
  },
  { what: 'an answer', event: { responseStatus: { code: 400, reason: LONG, message: LONG } } },
  {
    what: 'a body of many keys',
    event: { requestObject: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key ${at}`, at])) },
  },
  { what: 'a body of long ones', event: { responseObject: { [LONG]: LONG } } },
])('keeps little of $what, however much there is', ({ event }) => {
  expect(JSON.stringify(keptEvent({ ...EVENT, ...event })).length).toBeLessThan(20_000);
});

it('indents no body that is nested deep', () => {
  const wide = Array.from({ length: 50_000 }, () => 0);
  const deep = Array.from({ length: 1_000 }).reduce<unknown>((inner) => [inner], wide);

  expect(keptEvent({ ...EVENT, requestObject: deep }).sent).toMatch(/^\[\n {2}\[\n[\s[]+"…"[\s\]]+$/);
});

it('has keys that are those of prototypes', () => {
  const body: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":2}}');

  expect(JSON.parse(keptEvent({ ...EVENT, requestObject: body }).sent ?? '')).toEqual(body);
});

it('writes out what reads otherwise than it is, and keeps names by which more is asked for', () => {
  const kept = keptEvent({
    ...EVENT,
    userAgent: 'a\u202eb',
    requestObject: { note: 'a\u202eb' },
    objectRef: { resource: 'clusters', name: 'a\u202eb' },
  });

  expect(kept).toMatchObject({ userAgent: 'a\\u202eb', objectRef: { name: 'a\u202eb' } });
  expect(JSON.parse(kept.sent ?? '')).toEqual({ note: 'a\u202eb' });
});
