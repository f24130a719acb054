import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import { describe, expect, it } from 'vitest';
import { knownRefusal } from './known-refusals.ts';

/** Messages from OpenStack Zed. */
const REFUSAL_MESSAGES = [
  {
    service: 'network',
    kind: 'outOfCapacity',
    message: 'No more IP addresses available on network 1d54.',
    reason: 'AddressesExhausted',
  },
  {
    service: 'network',
    kind: 'outOfCapacity',
    message: 'Unable to find any IP address on external network 8b04.',
    reason: 'AddressesExhausted',
  },
  {
    service: 'network',
    kind: 'badRequest',
    message: 'Bad router request: Cidr 10.2.0.0/25 of subnet 93cf overlaps with cidr 10.2.0.0/24 of subnet c733.',
    reason: 'AddressRangeOverlap',
  },
  {
    service: 'compute',
    kind: 'badRequest',
    message: 'The requested availability zone is not available',
    reason: 'ZoneNotFound',
  },
  {
    service: 'compute',
    kind: 'badRequest',
    message: 'Volume type nope could not be found.',
    reason: 'VolumeTypeNotFound',
  },
] as const;

function error(service: string, kind: OpenStackError['kind'], message: string): OpenStackError {
  return new OpenStackError({ service, kind, message, method: 'POST', template: '/x', outcome: 'notDone' });
}

describe('knownRefusal', () => {
  it.each(REFUSAL_MESSAGES)('$message: $reason', ({ service, kind, message, reason }) => {
    const words = `${service}: ${message.replace(/\.$/, '')}; `;
    expect(knownRefusal(error(service, kind, message))).toEqual({ reason, message: expect.stringContaining(words) });
  });

  it.each([
    { template: '/floatingips', advice: 'external network has no free public address' },
    { template: '/routers', advice: 'external network has no free public address' },
    { template: '/ports', advice: 'larger subnet' },
  ])('$template without addresses: $advice', ({ template, advice }) => {
    const message = 'No more IP addresses available on network 1d54.';
    const call = { service: 'network', kind: 'outOfCapacity', method: 'POST', outcome: 'notDone' } as const;
    expect(knownRefusal(new OpenStackError({ ...call, template, message }))?.message).toContain(advice);
  });

  it.each([
    ['compute', 'badRequest', 'Invalid key_name provided.'],
    ['image', 'badRequest', 'The requested availability zone is not available'],
    ['compute', 'outOfCapacity', 'No valid host was found.'],
  ] as const)('has no advice for %s, %s: %s', (service, kind, message) => {
    expect(knownRefusal(error(service, kind, message))).toBeUndefined();
  });
});
