import type { EndpointSubset } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it } from 'vitest';
import { mirroredGroups } from './mirrored-groups.ts';

const WEB = [{ name: 'web', port: 80 }];

function mirrored(...subsets: EndpointSubset[]) {
  const { groups, ...rest } = mirroredGroups({ metadata: {}, subsets });
  const shown = groups.map(({ addressType, ports, endpoints }) => [
    addressType,
    ports.map(({ port }) => port),
    endpoints.map(({ addresses, conditions }) => `${addresses[0]} ${conditions?.ready}`),
  ]);
  return { shown, ...rest };
}

describe('mirroring Endpoints to slices', () => {
  it.each<{ what: string; subsets: EndpointSubset[]; shown: unknown[]; invalid?: number }>([
    { what: 'nothing', subsets: [], shown: [] },
    {
      what: 'ready and not ready addresses',
      subsets: [{ addresses: [{ ip: '10.0.0.1' }], notReadyAddresses: [{ ip: '10.0.0.2' }], ports: WEB }],
      shown: [['IPv4', [80], ['10.0.0.1 true', '10.0.0.2 false']]],
    },
    {
      what: 'two families',
      subsets: [{ addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: WEB }],
      shown: [
        ['IPv4', [80], ['10.0.0.1 true']],
        ['IPv6', [80], ['fd00::1 true']],
      ],
    },
    {
      what: 'two subsets with the same ports',
      subsets: [
        { addresses: [{ ip: '10.0.0.1' }], ports: WEB },
        { addresses: [{ ip: '10.0.0.2' }], ports: WEB },
      ],
      shown: [['IPv4', [80], ['10.0.0.1 true', '10.0.0.2 true']]],
    },
    {
      what: 'an invalid address',
      subsets: [{ addresses: [{ ip: 'web.example' }], ports: WEB }],
      shown: [],
      invalid: 1,
    },
  ])('converts $what', ({ subsets, shown, invalid = 0 }) => {
    expect(mirrored(...subsets)).toEqual({ shown, invalid, skipped: 0 });
  });

  it('keeps at most a thousand addresses per subset', () => {
    const addresses = Array.from({ length: 1005 }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
    const { groups, skipped } = mirroredGroups({ metadata: {}, subsets: [{ addresses, ports: WEB }] });
    expect([groups[0]?.endpoints.length, skipped]).toEqual([1000, 5]);
  });

  it('puts at most a thousand endpoints into a slice', () => {
    const subset = (net: number) => ({
      addresses: Array.from({ length: 600 }, (_, index) => ({ ip: `10.${net}.${index >> 8}.${index & 255}` })),
      ports: WEB,
    });
    const { groups, skipped } = mirroredGroups({ metadata: {}, subsets: [subset(0), subset(1)] });
    expect(groups.map(({ endpoints }) => endpoints.length)).toEqual([1000]);
    expect(skipped).toBe(200);
  });
});
