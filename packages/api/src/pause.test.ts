import { expect, test } from 'vitest';
import { isPaused } from './pause.ts';

const paused = (value: string) => ({ metadata: { annotations: { 'fairway.dev/paused': value } } });
const active = { metadata: { annotations: { other: 'true' } } };

test.each([
  { object: active, cluster: undefined, is: false, reason: 'nobody asked for it' },
  { object: paused('true'), cluster: undefined, is: true, reason: 'its own annotation' },
  { object: paused(''), cluster: active, is: true, reason: 'any value counts' },
  { object: paused('false'), cluster: active, is: true, reason: 'any value counts, as with Cluster API' },
  { object: active, cluster: paused('true'), is: true, reason: "its cluster's annotation" },
  { object: active, cluster: active, is: false, reason: 'neither' },
])('$is: $reason', ({ object, cluster, is }) => {
  expect(isPaused(object, cluster)).toBe(is);
});
