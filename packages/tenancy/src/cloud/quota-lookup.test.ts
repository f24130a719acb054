import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { QuotaUse } from '@fairway/openstack/http/quota-use';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { expect, test } from 'vitest';
import { QuotaLookup } from './quota-lookup.ts';

function exceeded(quotas: readonly QuotaUse[]): OpenStackError {
  const call = { service: 'network', method: 'POST', template: '/v2.0/ports', outcome: 'notDone' } as const;
  return new OpenStackError({ ...call, kind: 'quotaExceeded', message: 'Quota exceeded', quotas });
}

/** A cloud with a quota of ports, which counts how often it is asked. */
function cloudOf(answer: () => Promise<unknown>) {
  let asked = 0;
  const client = {
    network: {
      quotaDetails: () => {
        asked++;
        return answer();
      },
    },
    compute: { limits: () => Promise.reject(new Error('hidden')) },
  };
  const clock = { nowMs: 0, now: () => clock.nowMs };
  return { lookup: new QuotaLookup(client as unknown as OpenStackClient, clock), clock, asked: () => asked };
}

const ports = async () => ({ port: { limit: 10, used: 8, reserved: 2 } });
const quotasOf = (error: unknown) => (error as OpenStackError).quotas;

test('a quota without numbers gets those of the project', async () => {
  const { lookup } = cloudOf(ports);

  const told = await lookup.explain(exceeded([{ resource: 'port' }, { resource: 'vpn' }]), 2);

  expect(quotasOf(told)).toEqual([{ resource: 'port', requested: 2, used: 10, limit: 10 }, { resource: 'vpn' }]);
});

test('machines that fail side by side ask once, and again ten seconds later', async () => {
  const { lookup, clock, asked } = cloudOf(ports);

  await Promise.all(Array.from({ length: 20 }, () => lookup.explain(exceeded([{ resource: 'port' }]), 1)));
  const together = asked();
  clock.nowMs = 10_001;
  await lookup.explain(exceeded([{ resource: 'port' }]), 1);

  expect(together).toBe(1);
  expect(asked()).toBe(2);
});

test.each([
  { reason: 'its numbers are there', error: exceeded([{ resource: 'cores', used: 1, limit: 1 }]) },
  { reason: 'the service names no quota', error: exceeded([]) },
  { reason: 'it is about something else', error: new Error('else') },
])('an error is left as it is, without a call: $reason', async ({ error }) => {
  const { lookup, asked } = cloudOf(ports);

  expect(await lookup.explain(error, 1)).toBe(error);
  expect(asked()).toBe(0);
});

test('a cloud that hides the numbers changes nothing of what is told', async () => {
  const { lookup } = cloudOf(() => Promise.reject(new Error('forbidden')));
  const error = exceeded([{ resource: 'port' }]);

  expect(quotasOf(await lookup.explain(error, 1))).toEqual([{ resource: 'port' }]);
});
