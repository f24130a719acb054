import { expect, test } from 'vitest';
import { cloudTimeMs } from './cloud-time.ts';

const NOON = Date.parse('2026-05-01T12:00:00Z');

test.each([
  { service: 'Nova', text: '2026-05-01T12:00:00Z', ms: NOON },
  { service: 'Nova, launched', text: '2026-05-01T12:00:00.000000', ms: NOON },
  { service: 'Cinder', text: '2026-05-01T12:00:00.000000', ms: NOON },
  { service: 'Octavia', text: '2026-05-01T12:00:00', ms: NOON },
  { service: 'Keystone', text: '2026-05-01T12:00:00.000000Z', ms: NOON },
  { service: 'a proxy', text: '2026-05-01T14:00:00+02:00', ms: NOON },
  { service: 'a proxy without a colon', text: '2026-05-01T14:00:00+0200', ms: NOON },
  { service: 'a service that reports no valid time', text: null, ms: undefined },
  { service: 'a service that reports no valid time', text: '', ms: undefined },
  { service: 'a service that reports no valid time', text: 'soon', ms: undefined },
])('parses the time $text from $service', ({ text, ms }) => {
  expect(cloudTimeMs(text)).toBe(ms);
});
