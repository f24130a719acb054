import { expect, test } from 'vitest';
import type { Machine } from '../kinds/machine.ts';
import { keepRequest } from './inspection.ts';

const NOW_MS = Date.parse('2030-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;

test.each([
  { value: undefined, request: undefined },
  { value: '4h', request: { untilMs: NOW_MS + 4 * HOUR_MS } },
  { value: '72h', request: { untilMs: NOW_MS + 72 * HOUR_MS } },
  { value: '2030-01-01T06:00:00Z', request: { untilMs: NOW_MS + 6 * HOUR_MS } },
  { value: '2030-01-01T06:00:00+02:00', request: { untilMs: NOW_MS + 4 * HOUR_MS } },
  { value: '2029-12-31T06:00:00Z', request: { untilMs: NOW_MS - 18 * HOUR_MS } },
  { value: '72h1s', request: { problem: '"72h1s" is longer than 72 h from when the machine is replaced' } },
  { value: '2030-01-05T00:00:00Z', request: { problem: expect.stringMatching(/longer than 72 h/) } },
  { value: '9999999999999999999h', request: { problem: expect.stringMatching(/longer than 72 h/) } },
  { value: '', request: { problem: expect.stringMatching(/^"" is neither a duration such as 4h nor a time/) } },
  { value: 'a while', request: { problem: expect.stringMatching(/neither/) } },
  { value: '2030-13-41T00:00:00Z', request: { problem: expect.stringMatching(/neither/) } },
  { value: 'x'.repeat(10_000), request: { problem: expect.stringMatching(/^"x{64}…" is neither/) } },
])('parses $value', ({ value, request }) => {
  const annotations = value === undefined ? {} : { 'fairway.dev/keep-for-inspection': value };

  expect(keepRequest({ metadata: { annotations } } as unknown as Machine, NOW_MS)).toEqual(request);
});
