import { expect, it } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import { trimEvent } from './trimmed-event.ts';

const LONG_TEXT = 'x'.repeat(400 * 1024);
const EVENT: AuditEvent = { auditID: 'a', verb: 'create', stageTimestamp: '2026-11-26T10:00:00.000000Z' };

it.each<{ what: string; event: Partial<AuditEvent> }>([
  {
    what: 'an object',
    event: { objectRef: { resource: LONG_TEXT, subresource: LONG_TEXT, namespace: LONG_TEXT, name: LONG_TEXT } },
  },
  { what: 'a user', event: { user: { username: LONG_TEXT, extra: { [LONG_TEXT]: [LONG_TEXT] } } } },
  {
    what: 'a client',
    event: { userAgent: LONG_TEXT, sourceIPs: Array.from({ length: 1_000 }, () => LONG_TEXT.slice(0, 9_999)) },
  },
  { what: 'a response', event: { responseStatus: { code: 400, reason: LONG_TEXT, message: LONG_TEXT } } },
  {
    what: 'a body with many keys',
    event: { requestObject: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key ${at}`, at])) },
  },
  { what: 'a body with long keys', event: { responseObject: { [LONG_TEXT]: LONG_TEXT } } },
])('truncates $what', ({ event }) => {
  expect(JSON.stringify(trimEvent({ ...EVENT, ...event })).length).toBeLessThan(20_000);
});

it('does not indent deeply nested bodies', () => {
  const wideBody = Array.from({ length: 50_000 }, () => 0);
  const deepBody = Array.from({ length: 1_000 }).reduce<unknown>((inner) => [inner], wideBody);

  expect(trimEvent({ ...EVENT, requestObject: deepBody }).requestBody).toMatch(/^\[\n {2}\[\n[\s[]+"…"[\s\]]+$/);
});

it('keeps keys with the names of prototype properties', () => {
  const body: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":2}}');

  expect(JSON.parse(trimEvent({ ...EVENT, requestObject: body }).requestBody ?? '')).toEqual(body);
});

it('escapes misleading characters, but keeps names that are used in queries', () => {
  const trimmed = trimEvent({
    ...EVENT,
    userAgent: 'a\u202eb',
    requestObject: { note: 'a\u202eb' },
    objectRef: { resource: 'clusters', name: 'a\u202eb' },
  });

  expect(trimmed).toMatchObject({ userAgent: 'a\\u202eb', objectRef: { name: 'a\u202eb' } });
  expect(JSON.parse(trimmed.requestBody ?? '')).toEqual({ note: 'a\u202eb' });
});
