import type { Event } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { storyOf } from './story.ts';

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

test('what happened to several alike is told once, the latest first', () => {
  const story = storyOf([
    event('demo-a', 'Ready', 'node demo-a is ready', '10:00:00'),
    event('demo-b', 'Ready', 'node demo-b is ready', '10:01:00'),
    event('demo', 'Created', 'made', '09:59:00', 'Cluster'),
  ]);

  expect(story.map(({ reason, names, count }) => [reason, names, count])).toEqual([
    ['Ready', ['demo-b', 'demo-a'], 2],
    ['Created', ['demo'], 1],
  ]);
});

test('what happens again much later is told again', () => {
  const story = storyOf([event('demo-a', 'Ready', 'ready', '10:00:00'), event('demo-b', 'Ready', 'ready', '10:30:00')]);

  expect(story).toHaveLength(2);
});
