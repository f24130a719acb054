import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Event } from '@fairway/kube/kinds/generated/types';
import { expect, it } from 'vitest';
import { validKubeconfigs } from './valid-kubeconfigs.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const cluster = (revoked?: string) =>
  ({
    metadata: { uid: 'c1' },
    status: { credentials: { revocation: revoked && { requested: 'x', time: revoked } } },
  }) as unknown as Cluster;
const issuedEvent = (user: string, expires: string, { uid = 'c1', at = '2026-11-26T11:50:00Z' } = {}) =>
  ({
    metadata: {},
    reason: 'KubeconfigIssued',
    involvedObject: { uid },
    message: `${user} was issued a kubeconfig that expires at ${expires}`,
    lastTimestamp: at,
  }) as unknown as Event;

it('lists the kubeconfigs for the cluster that are still valid', () => {
  const events = [
    issuedEvent('keystone:a b', '2026-11-26T12:30:00Z'),
    issuedEvent('bob', '2026-11-26T13:00:00Z'),
    issuedEvent('late', '2026-11-26T11:59:00Z'),
    issuedEvent('other', '2026-11-26T13:00:00Z', { uid: 'c2' }),
  ];

  expect(validKubeconfigs(events, cluster(), NOW).map(({ user }) => user)).toEqual(['bob', 'keystone:a b']);
});

it('omits kubeconfigs issued before a revocation', () => {
  const events = [
    issuedEvent('before', '2026-11-26T13:00:00Z'),
    issuedEvent('after', '2026-11-26T13:00:00Z', { at: '2026-11-26T11:58:00Z' }),
  ];

  expect(validKubeconfigs(events, cluster('2026-11-26T11:55:00Z'), NOW).map(({ user }) => user)).toEqual(['after']);
});
