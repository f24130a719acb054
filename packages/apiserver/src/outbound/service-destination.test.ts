import type { EndpointSlice, Service } from '@fairway/kube/kinds/generated/types';
import { EndpointSlices, Services } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { FakeObjectReader } from '../auth/object-reader-fake.ts';
import { serviceDestination } from './service-destination.ts';

const service = (spec: Partial<Service['spec']>): Service => ({
  metadata: { namespace: 'shop', name: 'hooks' },
  spec: { ports: [{ name: 'https', port: 443 }], ...spec },
});
const slice = (fields: Partial<EndpointSlice>): EndpointSlice => ({
  metadata: { namespace: 'shop', name: 'hooks-1', labels: { 'kubernetes.io/service-name': 'hooks' } },
  addressType: 'IPv4',
  ports: [{ name: 'https', port: 8443 }],
  endpoints: [{ addresses: ['192.0.2.7'] }],
  ...fields,
});

test.each<{ reason: string; services?: Service[]; slices?: EndpointSlice[]; leads: string }>([
  { reason: 'a ready endpoint', leads: '192.0.2.7:8443 as hooks.shop.svc' },
  { reason: 'no stored object', services: [], leads: 'service "hooks" not found' },
  {
    reason: 'no such port',
    services: [service({ ports: [{ port: 80 }] })],
    leads: 'no service port 443 found for service "hooks"',
  },
  {
    reason: 'an external name',
    services: [service({ type: 'ExternalName' })],
    leads: 'unsupported service type "ExternalName"',
  },
  { reason: 'no endpoint', slices: [], leads: 'no endpoints available for service "hooks"' },
  {
    reason: 'no ready endpoint',
    slices: [slice({ endpoints: [{ addresses: ['192.0.2.7'], conditions: { ready: false } }] })],
    leads: 'no endpoints available for service "hooks"',
  },
  {
    reason: 'a port with another name',
    slices: [slice({ ports: [{ name: 'metrics', port: 9090 }] })],
    leads: 'no endpoints available for service "hooks"',
  },
  {
    reason: 'endpoints of another Service',
    slices: [slice({ metadata: { namespace: 'shop', name: 'x', labels: { 'kubernetes.io/service-name': 'other' } } })],
    leads: 'no endpoints available for service "hooks"',
  },
])('resolves a Service with $reason to $leads', ({ services = [service({})], slices = [slice({})], leads }) => {
  const reader = new FakeObjectReader();
  reader.put(Services, ...services);
  reader.put(EndpointSlices, ...slices);
  const lead = () => {
    const { host, port, serverName } = serviceDestination(
      reader,
      { namespace: 'shop', name: 'hooks', port: 443 },
      () => 0,
    );
    return `${host}:${port} as ${serverName}`;
  };
  let found: string;
  try {
    found = lead();
  } catch (error) {
    found = (error as Error).message;
  }
  expect(found).toBe(leads);
});
