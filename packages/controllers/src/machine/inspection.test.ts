import { KEEP_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { expect, test } from 'vitest';
import { keptBefore } from './inspection.ts';

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

const KEEP = { [KEEP_ANNOTATION]: '4h' };

test.each<{ status: Machine['status']; annotations?: Record<string, string>; before: number; reason: string }>([
  { status: { phase: 'Draining', serverID: 's' }, before: 1, reason: 'its server is kept' },
  { status: { phase: 'Terminated', serverID: 's' }, before: 0, reason: 'its server is going, or gone' },
  { status: { phase: 'Draining' }, before: 0, reason: 'it has no server' },
  { status: { phase: 'Draining', serverID: 's' }, annotations: {}, before: 0, reason: 'nobody wants it kept' },
])('$before is kept before another, because of one that was deleted earlier $reason', (earlier) => {
  const first = leaving('a', earlier.status, earlier.annotations ?? KEEP);
  const second = leaving('b', { phase: 'Draining', serverID: 't' }, KEEP);

  expect(keptBefore(second, [first, second], NOW_MS)).toBe(earlier.before);
});
