import { clusters } from '@fairway/api/kinds/cluster';
import type { ObjectMeta } from '@fairway/kube/object/meta';
import { expect, test } from 'vitest';
import { certificateFinding } from './certificate.ts';
import { stuckFinding } from './stuck-objects.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const LONG_AGO = '2026-11-21T11:00:00Z';
const JUST_NOW = '2026-11-21T11:59:00Z';

function look(metadata: ObjectMeta, ready?: { status: 'True' | 'False'; reason: string; since: string }) {
  const conditions = ready
    ? [{ type: 'Ready', status: ready.status, reason: ready.reason, message: 'm', lastTransitionTime: ready.since }]
    : [];
  const object = { metadata: { name: 'demo', namespace: 'a', ...metadata }, status: { conditions } };
  return stuckFinding(clusters, object, NOW_MS);
}

test.each([
  {
    metadata: {},
    ready: { status: 'True', reason: 'AsExpected', since: LONG_AGO },
    status: undefined,
    reason: 'everything works',
  },
  {
    metadata: {},
    ready: { status: 'False', reason: 'Provisioning', since: JUST_NOW },
    status: undefined,
    reason: 'is progressing',
  },
  {
    metadata: {},
    ready: { status: 'False', reason: 'Provisioning', since: LONG_AGO },
    status: 'warning',
    reason: 'has been progressing for too long',
  },
  {
    metadata: {},
    ready: { status: 'False', reason: 'QuotaExceeded', since: JUST_NOW },
    status: 'error',
    reason: 'a person must act',
  },
  { metadata: { creationTimestamp: JUST_NOW }, ready: undefined, status: undefined, reason: 'new' },
  { metadata: { creationTimestamp: LONG_AGO }, ready: undefined, status: 'error', reason: 'no controller is running' },
  { metadata: { deletionTimestamp: JUST_NOW }, ready: undefined, status: undefined, reason: 'being deleted' },
  {
    metadata: { deletionTimestamp: LONG_AGO, finalizers: ['x/y'] },
    ready: undefined,
    status: 'error',
    reason: 'blocked by a finalizer',
  },
] as const)('$status: $reason', ({ metadata, ready, status }) => {
  expect(look(metadata as ObjectMeta, ready)?.status).toBe(status);
});

test.each([
  {
    annotations: { 'fairway.dev/paused': 'true' },
    status: 'warning',
    reason: 'a pause that may have been forgotten',
  },
  { annotations: {}, status: undefined, reason: 'the pause of its cluster is already reported' },
])('reports $status for a paused object with $annotations: $reason', ({ annotations, status }) => {
  const conditions = [
    { type: 'Ready', status: 'False' as const, reason: 'QuotaExceeded', message: '', lastTransitionTime: LONG_AGO },
    { type: 'Paused', status: 'True' as const, reason: 'Paused', message: '', lastTransitionTime: LONG_AGO },
  ];

  expect(
    stuckFinding(clusters, { metadata: { name: 'demo', annotations }, status: { conditions } }, NOW_MS)?.status,
  ).toBe(status);
});

test('reports stuck objects with advice', () => {
  expect(look({}, { status: 'False', reason: 'QuotaExceeded', since: LONG_AGO })).toEqual({
    check: 'cluster a/demo',
    status: 'error',
    detail: 'QuotaExceeded: m',
    advice: expect.stringContaining("raise the project's quota"),
  });
});

test.each([
  { ends: '2027-11-21T12:00:00Z', status: 'ok' },
  { ends: '2026-12-01T12:00:00Z', status: 'warning' },
  { ends: '2026-11-21T11:59:59Z', status: 'error' },
])('reports $status for a certificate that expires on $ends', ({ ends, status }) => {
  expect(certificateFinding('c', ends, NOW_MS, 'renew').status).toBe(status);
});
