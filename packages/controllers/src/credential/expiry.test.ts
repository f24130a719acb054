import { formatTime } from '@fairway/base/clock';
import { expect, test } from 'vitest';
import { expiryCondition, nextNoticeInMs } from './expiry.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const spec = { cloud: 'west', secretRef: { name: 'login' }, reclaimPolicy: 'Retain' } as const;

test.each<{ leftMs: number; within: string | undefined; nextMs: number | undefined }>([
  { leftMs: 400 * DAY_MS, within: undefined, nextMs: 370 * DAY_MS },
  { leftMs: 30 * DAY_MS + 1_000, within: undefined, nextMs: 1_000 },
  { leftMs: 30 * DAY_MS, within: '30 days', nextMs: 23 * DAY_MS },
  { leftMs: 7 * DAY_MS + 1_000, within: '30 days', nextMs: 1_000 },
  { leftMs: 7 * DAY_MS, within: '7 days', nextMs: 6 * DAY_MS },
  { leftMs: DAY_MS, within: 'a day', nextMs: DAY_MS },
  { leftMs: 1_000, within: 'a day', nextMs: 1_000 },
  { leftMs: 0, within: undefined, nextMs: undefined },
  { leftMs: -DAY_MS, within: undefined, nextMs: undefined },
])(
  'expiryCondition with $leftMs ms left reports $within, and changes next in $nextMs ms',
  ({ leftMs, within, nextMs }) => {
    const expiresAt = formatTime(NOW_MS + leftMs);

    const condition = expiryCondition({ spec, status: { expiresAt } }, NOW_MS);

    const start = within && `it expires within ${within}, at ${expiresAt}; `;
    expect(condition?.message.slice(0, start?.length)).toBe(start);
    expect(nextNoticeInMs(expiresAt, NOW_MS)).toBe(nextMs);
  },
);

test.each([undefined, 'never'])('expiryCondition reports nothing for a credential that expires at %s', (expiresAt) => {
  const status = expiresAt === undefined ? {} : { expiresAt };

  expect(expiryCondition({ spec, status }, NOW_MS)).toBeUndefined();
  expect(nextNoticeInMs(expiresAt, NOW_MS)).toBeUndefined();
});
