import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { QuotaUse } from '@fairway/openstack/http/quota-use';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import { expect, test } from 'vitest';
import { QuotaLookup } from './quota-lookup.ts';

function quotaError(quotas: readonly QuotaUse[]): OpenStackError {
  const call = { service: 'network', method: 'POST', template: '/v2.0/ports', outcome: 'notDone' } as const;
  return new OpenStackError({ ...call, kind: 'quotaExceeded', message: 'Quota exceeded', quotas });
}

/** A cloud with a port quota that counts the calls it receives. */
function cloudOf(response: () => Promise<unknown>) {
  let callCount = 0;
  const client = {
    network: {
      quotaDetails: () => {
        callCount++;
        return response();
      },
    },
    compute: { limits: () => Promise.reject(new Error('hidden')) },
  };
  const clock = { nowMs: 0, now: () => clock.nowMs };
  return { lookup: new QuotaLookup(client as unknown as OpenStackClient, clock), clock, asked: () => callCount };
}

const ports = async () => ({ port: { limit: 10, used: 8, reserved: 2 } });
const quotasOf = (error: unknown) => (error as OpenStackError).quotas;

test('adds the project’s usage to a quota without numbers', async () => {
  const { lookup } = cloudOf(ports);

  const explained = await lookup.failureMessage(quotaError([{ resource: 'port' }, { resource: 'vpn' }]), 2);

  expect(quotasOf(explained)).toEqual([{ resource: 'port', requested: 2, used: 10, limit: 10 }, { resource: 'vpn' }]);
});

test('makes one call for machines that fail concurrently, and another ten seconds later', async () => {
  const { lookup, clock, asked } = cloudOf(ports);

  await Promise.all(Array.from({ length: 20 }, () => lookup.failureMessage(quotaError([{ resource: 'port' }]), 1)));
  const concurrentErrors = asked();
  clock.nowMs = 10_001;
  await lookup.failureMessage(quotaError([{ resource: 'port' }]), 1);

  expect(concurrentErrors).toBe(1);
  expect(asked()).toBe(2);
});

test.each([
  { reason: 'the error already has numbers', error: quotaError([{ resource: 'cores', used: 1, limit: 1 }]) },
  { reason: 'the service names no quota', error: quotaError([]) },
  { reason: 'the error has another cause', error: new Error('else') },
])('leaves an error unchanged, without a call: $reason', async ({ error }) => {
  const { lookup, asked } = cloudOf(ports);

  expect(await lookup.failureMessage(error, 1)).toBe(error);
  expect(asked()).toBe(0);
});

test('leaves an error unchanged if the cloud hides the numbers', async () => {
  const { lookup } = cloudOf(() => Promise.reject(new Error('forbidden')));
  const error = quotaError([{ resource: 'port' }]);

  expect(quotasOf(await lookup.failureMessage(error, 1))).toEqual([{ resource: 'port' }]);
});
