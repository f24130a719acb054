import type { Event } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { compareLastSeen, eventRow } from './event-row.ts';

const event: Event = {
  metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
  involvedObject: { kind: 'Machine', name: 'demo-1' },
  type: 'Warning',
  reason: 'NotReady',
  message: 'the node\nis away',
};

test.each<{ reason: string; more: Partial<Event>; seen: string; times: string }>([
  { reason: 'the only known time', more: {}, seen: '5d', times: '' },
  {
    reason: 'the last of several occurrences',
    more: { firstTimestamp: '2026-01-02T00:00:00Z', lastTimestamp: '2026-01-03T00:00:00Z', count: 3 },
    seen: '3d',
    times: ' (3 times)',
  },
  {
    reason: 'a single occurrence in events.k8s.io',
    more: { eventTime: '2026-01-02T00:00:00.123456Z' },
    seen: '4d',
    times: '',
  },
  {
    reason: 'several occurrences in events.k8s.io',
    more: {
      eventTime: '2026-01-02T00:00:00.123456Z',
      series: { count: 5, lastObservedTime: '2026-01-04T00:00:00.000001Z' },
    },
    seen: '2d',
    times: ' (5 times)',
  },
])('$reason', ({ more, seen, times }) => {
  expect(eventRow({ ...event, ...more }, Date.UTC(2026, 0, 6, 0, 30))).toEqual([
    seen,
    'Warning',
    'NotReady',
    'machine/demo-1',
    `the node is away${times}`,
  ]);
});

test('sorts the latest last, with or without fractions of a second', () => {
  const at = (eventTime: string): Event => ({ ...event, eventTime });
  const first = at('2026-01-02T00:00:00Z');
  const second = at('2026-01-02T00:00:00.5Z');
  const third = at('2026-01-02T00:00:00.600000Z');
  const last = at('2026-01-02T00:00:01Z');

  expect([last, third, second, first].toSorted(compareLastSeen)).toEqual([first, second, third, last]);
});
