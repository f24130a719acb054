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
])('$path has $segments', ({ path, segments }) => {
  expect(segmentsOf(path)).toEqual(segments);
});

test('a path is read in linear time, since it is parsed before authentication', async () => {
  expect(await excessiveGrowth((text) => segmentsOf(`/v1/${text}`))).toBeUndefined();
});
