import { expect, it } from 'vitest';
import { withQuotas } from './fresh-quotas.ts';

const OLD = '2026-11-28T11:00:00Z';
const NEW = '2026-11-28T11:40:00Z';
const cores = (used: number) => ({ name: 'cores', limit: 20, used });
const ports = (used: number) => ({ name: 'ports', limit: 50, used });

it.each([
  { fresh: undefined, quotas: [cores(4)], date: OLD, reason: 'no quotas have been requested yet' },
  { fresh: {}, quotas: [cores(4)], date: OLD, reason: 'the cloud did not respond' },
  { fresh: { time: NEW, quotas: [cores(8)] }, quotas: [cores(8)], date: NEW, reason: 'the quotas are newer' },
  { fresh: { time: OLD, quotas: [cores(8)] }, quotas: [cores(4)], date: OLD, reason: 'the quotas are not newer' },
  { fresh: { time: NEW, quotas: [ports(3)] }, quotas: [ports(3), cores(4)], date: OLD, reason: 'Nova did not respond' },
])('shows known quotas and when they were read: $reason', ({ fresh, quotas, date }) => {
  expect(withQuotas({ zones: ['nova'], quotas: [cores(4)], quotasTime: OLD }, fresh)).toEqual({
    zones: ['nova'],
    quotas,
    quotasTime: date,
  });
});

it('uses known quotas for a profile that has none', () => {
  expect(withQuotas({}, { time: NEW, quotas: [cores(8)] })).toEqual({ quotas: [cores(8)], quotasTime: NEW });
});
