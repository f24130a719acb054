import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { segmentsOf } from './routing.ts';

test.each([
  { path: '/v1/clusters', segments: ['v1', 'clusters'] },
  { path: '//v1/clusters//', segments: ['v1', 'clusters'] },
  { path: '/v1//clusters', segments: ['v1', '', 'clusters'] },
  { path: '/v1/a%2Fb', segments: ['v1', 'a/b'] },
  { path: '/', segments: [''] },
  { path: '/v1/%zz', segments: undefined },
])('splits $path into $segments', ({ path, segments }) => {
  expect(segmentsOf(path)).toEqual(segments);
});

test('reads a path in linear time, because it is parsed before authentication', async () => {
  expect(await excessiveGrowth((text) => segmentsOf(`/v1/${text}`))).toBeUndefined();
});
