import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';
import { expect, test } from 'vitest';
import { tenantView } from './tenant-view.ts';

const READER = { username: 'alice', groups: ['keystone:project:1', 'system:authenticated'] };

function eventOf(user: AuditEvent['user']): AuditEvent {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: '1',
    stage: 'ResponseComplete',
    requestURI: '/x',
    verb: 'create',
    user,
    impersonatedUser: { username: 'carol', groups: ['inner'] },
    sourceIPs: ['192.0.2.1'],
    userAgent: 'kubectl',
    requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
    stageTimestamp: '2026-01-01T00:00:00.000000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': 'by the role inner' },
  };
}

test.each([
  { who: 'himself', user: READER, sees: true },
  { who: 'a user of the project', user: { username: 'bob', groups: ['keystone:project:1'] }, sees: true },
  { who: 'a service account of the namespace', user: { username: 'system:serviceaccount:red:robot' }, sees: true },
  { who: 'an unauthenticated client', user: {}, sees: true },
  { who: 'an operator', user: { username: 'root', groups: ['system:masters', 'system:authenticated'] }, sees: false },
  { who: "Fairway's controllers", user: { username: 'system:fairway:controllers', groups: [] }, sees: false },
  {
    who: 'a service account of another namespace',
    user: { username: 'system:serviceaccount:red-2:robot' },
    sees: false,
  },
  { who: 'a user of another project', user: { username: 'eve', groups: ['keystone:project:2'] }, sees: false },
])('events of $who show tenants the source address and the role: $sees', ({ user, sees }) => {
  const eventView = tenantView(eventOf(user), 'red', READER);

  expect(eventView).toEqual(sees ? eventOf(user) : withoutOrigin(user));
});

function withoutOrigin(user: AuditEvent['user']): AuditEvent {
  const { sourceIPs: _, userAgent: __, ...event } = eventOf(user);
  return {
    ...event,
    user: { username: user.username ?? '' },
    impersonatedUser: { username: 'carol' },
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  };
}
