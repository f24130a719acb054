import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AuditEvent, auditIdOf, auditLine, isDryRun, OMITTED_ANNOTATION, sourceIPs } from './audit-event.ts';

const EVENT: AuditEvent = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'a-1',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/red/secrets',
  verb: 'create',
  user: { username: 'alice', groups: ['devs'] },
  objectRef: { resource: 'secrets', namespace: 'red', name: 'a', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 201 },
  requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
  stageTimestamp: '2026-01-01T00:00:00.001000Z',
};
const MAX_LINE_CHARS = 32 * 1024;

test('serializes an event as one line of JSON', () => {
  expect(JSON.parse(auditLine(EVENT))).toEqual(EVENT);
});

test('serializes any strings from a client as one line of bounded length', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom('\n{"kind":"Event"}\n', '\u2028', '\ud800', '"},{"', '\x1b[2J', '\0'),
    fc.integer({ min: 0, max: 50_000 }).map((length) => '\x01'.repeat(length)),
  );
  fc.assert(
    fc.property(
      fc.record({ userAgent: hostile, requestURI: hostile, verb: fc.constant('create') }),
      fc.record({ username: hostile, groups: fc.array(hostile, { maxLength: 50 }) }),
      fc.record({ resource: fc.constant('secrets'), name: hostile, namespace: hostile, apiVersion: fc.constant('v1') }),
      fc.record({ message: hostile, details: fc.record({ name: hostile, kind: hostile }) }),
      (strings, user, objectRef, failure) => {
        const responseStatus = { metadata: {}, status: 'Failure' as const, ...failure, code: 422 };
        const line = auditLine({ ...EVENT, ...strings, user, impersonatedUser: user, objectRef, responseStatus });

        expect(line.length).toBeLessThanOrEqual(MAX_LINE_CHARS);
        expect(line).not.toMatch(/[\n\r\0]/);
        expect(JSON.parse(line)).toMatchObject({ kind: 'Event', auditID: 'a-1', responseStatus: { code: 422 } });
      },
    ),
    { numRuns: 60 },
  );
});

test('keeps only the name and UID of the user if a line without bodies is too long', () => {
  const groups = Array.from({ length: 5_000 }, (_, index) => `group-${index}`);
  const line = auditLine({ ...EVENT, user: { username: 'alice', uid: 'u', groups, extra: { a: groups } } });

  expect(JSON.parse(line)).toMatchObject({
    user: { username: 'alice', uid: 'u' },
    annotations: { 'audit.k8s.io/truncated': 'true' },
  });
});

describe('source IPs of a request', () => {
  test.each([
    [{}, '192.0.2.1', ['192.0.2.1']],
    [{}, '::ffff:192.0.2.1', ['192.0.2.1']],
    [{}, undefined, []],
    [{ 'x-forwarded-for': '198.51.100.1, 2001:db8::1' }, '192.0.2.1', ['198.51.100.1', '2001:db8::1', '192.0.2.1']],
    [{ 'x-forwarded-for': 'me, 1.2.3.4.5, "}' }, '192.0.2.1', ['192.0.2.1']],
    [
      { 'x-forwarded-for': '198.51.100.1', 'x-real-ip': '198.51.100.2' },
      '192.0.2.1',
      ['198.51.100.1', '198.51.100.2', '192.0.2.1'],
    ],
    [{ 'x-real-ip': '192.0.2.1' }, '192.0.2.1', ['192.0.2.1']],
  ])('are parsed from %j and peer %s as %j', (headers, peer, addresses) => {
    expect(sourceIPs(headers, peer)).toEqual(addresses);
  });

  test('are limited to 18', () => {
    const claimed = Array.from({ length: 2_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);

    expect(sourceIPs({ 'x-forwarded-for': claimed.join() }, '192.0.2.1')).toHaveLength(17);
  });
});

test.each([
  ['4f0e3a52-2b8c-4a4e-9d0e-6f6f3c1c9a10', true],
  ['a:b_c.d-1', true],
  [undefined, false],
  ['', false],
  ['x'.repeat(65), false],
  ['a b', false],
  ['{"kind":"Event"}', false],
])("accepts the client's audit ID %j: %s", (requestedID, isAccepted) => {
  expect(auditIdOf(requestedID, () => 'made')).toBe(isAccepted ? requestedID : 'made');
});

describe('a dry-run deletion is recognized by its body, or by its query if it has no body', () => {
  const query = '/api/v1/namespaces/red/secrets?dryRun=All';
  const truncated = { annotations: { 'audit.k8s.io/truncated': 'true' } };

  test.each<[what: string, event: Partial<AuditEvent>, isDry: boolean]>([
    ['dryRun in the query, and no body', { level: 'Request' }, true],
    ['dryRun in the query, and a body that is not recorded at this level', { level: 'Metadata' }, false],
    ['dryRun in the query, and a body that was omitted', { level: 'RequestResponse', ...truncated }, false],
    [
      'dryRun in the query, and a body that is not JSON',
      { level: 'Request', annotations: { [OMITTED_ANNOTATION]: 'x' } },
      false,
    ],
    [
      'dryRun in the query, and a body without it',
      { level: 'Request', requestObject: { kind: 'DeleteOptions' } },
      false,
    ],
    [
      'no dryRun in the query, but in the body',
      { level: 'Request', requestURI: '/', requestObject: { dryRun: ['All'] } },
      true,
    ],
    [
      'dryRun after a second question mark in the query, and no body',
      { level: 'Request', requestURI: '/a??dryRun=All' },
      false,
    ],
  ])('%s', (_, event, isDry) => {
    expect(isDryRun({ ...EVENT, verb: 'deletecollection', requestURI: query, ...event })).toBe(isDry);
  });

  test('a request that takes effect is never reported as a dry run', () => {
    expect(isDryRun({ ...EVENT, verb: 'patch', requestURI: '/a??dryRun=All' })).toBe(false);
  });
});
