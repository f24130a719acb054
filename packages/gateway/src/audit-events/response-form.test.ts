import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { expect, test } from 'vitest';
import { eventsInForm } from './response-form.ts';

const EVENT: AuditEvent = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'a-1',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/shop/pods/a?dryRun=All',
  verb: 'patch',
  user: { username: 'alice' },
  impersonatedUser: { username: 'bob' },
  sourceIPs: ['192.0.2.1', '198.51.100.1'],
  objectRef: { resource: 'pods', subresource: 'status', namespace: 'shop', name: 'a', apiVersion: 'v1' },
  responseStatus: { metadata: {}, code: 200 },
  requestReceivedTimestamp: '2026-01-31T10:20:30.000000Z',
  stageTimestamp: '2026-01-31T10:20:30.000000Z',
};

function cellsOf(event: AuditEvent): readonly string[] | undefined {
  const nowMs = Date.parse('2026-01-31T10:21:00Z');
  const table = eventsInForm('table', { events: [event], next: undefined, namespace: 'team', nowMs });
  return (table as { readonly rows: readonly { readonly cells: readonly string[] }[] }).rows[0]?.cells;
}

test('contains the user, the action, its time and source in each row', () => {
  const cells = ['30s', 'alice as bob', 'patch (dry run)', 'pods/status a', '200', '192.0.2.1,198.51.100.1', 'a-1'];

  expect(cellsOf(EVENT)).toEqual(cells);
});

test('prevents names from breaking lines or columns, or controlling a terminal', () => {
  const { objectRef = { resource: '', apiVersion: '' } } = EVENT;
  const cells = cellsOf({
    ...EVENT,
    user: { username: 'eve\tdelete\u009b2J' },
    impersonatedUser: { username: '\u001b[31mroot\u202e' },
    objectRef: { ...objectRef, name: 'a\r\n5s   root\u2028\u0000' },
  });

  expect(cells?.[1]).toBe('eve\\u0009delete\\u009b2J as \\u001b[31mroot\\u202e');
  expect(cells?.[3]).toBe('pods/status a\\u000d\\u000a5s   root\\u2028\\u0000');
});
