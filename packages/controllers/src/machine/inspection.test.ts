import { KEEP_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { expect, test } from 'vitest';
import { countKeptBefore } from './inspection.ts';

const DELETED = '2026-06-01T12:00:00Z';
const NOW_MS = Date.parse('2026-06-01T12:30:00Z');

function leaving(name: string, status: Machine['status'], annotations: Record<string, string>): Machine {
  const spec: Machine['spec'] = {
    clusterName: 'demo',
    nodePoolName: 'general',
    version: '1.34.2',
    flavor: 'b3-8',
    image: 'image',
    floatingIP: false,
  };
  const metadata = { name, deletionTimestamp: DELETED, annotations };
  return { apiVersion: 'fairway.dev/v1alpha1', kind: 'Machine', metadata, spec, ...(status && { status }) };
}

const KEEP_ANNOTATIONS = { [KEEP_ANNOTATION]: '4h' };

test.each<{ status: Machine['status']; annotations?: Record<string, string>; before: number; reason: string }>([
  { status: { phase: 'Draining', serverID: 's' }, before: 1, reason: 'its server is kept' },
  {
    status: { phase: 'Terminated', serverID: 's' },
    before: 0,
    reason: 'its server is being deleted, or has been deleted',
  },
  { status: { phase: 'Draining' }, before: 0, reason: 'it has no server' },
  { status: { phase: 'Draining', serverID: 's' }, annotations: {}, before: 0, reason: 'its annotation was removed' },
])('countKeptBefore returns $before for a machine if an earlier one was deleted: $reason', (earlier) => {
  const first = leaving('a', earlier.status, earlier.annotations ?? KEEP_ANNOTATIONS);
  const second = leaving('b', { phase: 'Draining', serverID: 't' }, KEEP_ANNOTATIONS);

  expect(countKeptBefore(second, [first, second], NOW_MS)).toBe(earlier.before);
});
