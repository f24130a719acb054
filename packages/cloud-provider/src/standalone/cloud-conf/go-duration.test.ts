import { expect, test } from 'vitest';
import { goDurationMs } from './go-duration.ts';

// Based on Go's own tests of time.ParseDuration.
test.each([
  { text: '0', ms: 0 },
  { text: '5s', ms: 5_000 },
  { text: '+5s', ms: 5_000 },
  { text: '-5s', ms: -5_000 },
  { text: '0.5m', ms: 30_000 },
  { text: '.5s', ms: 500 },
  { text: '1.s', ms: 1_000 },
  { text: '1h', ms: 3_600_000 },
  { text: '1h0m0s', ms: 3_600_000 },
  { text: '1m30s', ms: 90_000 },
  { text: '10.5s4m', ms: 250_500 },
  { text: '2m3.5s', ms: 123_500 },
  { text: '500ms', ms: 500 },
  { text: '1500us', ms: 1.5 },
  { text: '1500µs', ms: 1.5 },
  { text: '2000000ns', ms: 2 },
  { text: '', ms: undefined },
  { text: '3', ms: undefined },
  { text: '-', ms: undefined },
  { text: 's', ms: undefined },
  { text: '.', ms: undefined },
  { text: '.s', ms: undefined },
  { text: '1d', ms: undefined },
  { text: '1 s', ms: undefined },
  { text: '1S', ms: undefined },
  { text: '--1s', ms: undefined },
  { text: '1e3s', ms: undefined },
  { text: '1s'.repeat(60), ms: undefined },
])('parses "$text" as $ms', ({ text, ms }) => {
  expect(goDurationMs(text)?.toFixed(6)).toBe(ms?.toFixed(6));
});
