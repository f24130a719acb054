import { expect, test } from 'vitest';
import { isPaused } from './pause.ts';

const paused = (value: string) => ({ metadata: { annotations: { 'fairway.dev/paused': value } } });
const active = { metadata: { annotations: { other: 'true' } } };

test.each([
  { object: active, cluster: undefined, is: false, reason: 'no annotation is set' },
  { object: paused('true'), cluster: undefined, is: true, reason: 'the object has the annotation' },
  { object: paused(''), cluster: active, is: true, reason: 'any value counts' },
  { object: paused('false'), cluster: active, is: true, reason: 'any value counts, as in Cluster API' },
  { object: active, cluster: paused('true'), is: true, reason: 'the cluster has the annotation' },
  { object: active, cluster: active, is: false, reason: 'neither' },
])('paused is $is: $reason', ({ object, cluster, is }) => {
  expect(isPaused(object, cluster)).toBe(is);
});
