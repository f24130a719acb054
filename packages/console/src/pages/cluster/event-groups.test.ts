import type { Event } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { groupEvents } from './event-groups.ts';

function event(name: string, reason: string, message: string, time: string, kind = 'Machine'): Event {
  return {
    metadata: { name: `${name}.${reason}`, namespace: 'p' },
    type: 'Normal',
    reason,
    message,
    involvedObject: { kind, name },
    lastTimestamp: `2026-11-26T${time}Z`,
  };
}

test('groups events of several similar objects, latest first', () => {
  const eventGroups = groupEvents([
    event('demo-a', 'Ready', 'node demo-a is ready', '10:00:00'),
    event('demo-b', 'Ready', 'node demo-b is ready', '10:01:00'),
    event('demo', 'Created', 'made', '09:59:00', 'Cluster'),
  ]);

  expect(eventGroups.map(({ reason, names, count }) => [reason, names, count])).toEqual([
    ['Ready', ['demo-b', 'demo-a'], 2],
    ['Created', ['demo'], 1],
  ]);
});

test('starts a new group if the same event occurs again much later', () => {
  const eventGroups = groupEvents([
    event('demo-a', 'Ready', 'ready', '10:00:00'),
    event('demo-b', 'Ready', 'ready', '10:30:00'),
  ]);

  expect(eventGroups).toHaveLength(2);
});
