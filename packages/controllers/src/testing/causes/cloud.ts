import { type Cause, fault, MINUTE_MS } from './cause.ts';

/** What is told of the cloud. */
export const CLOUD_CAUSES: readonly Cause[] = [
  {
    cause: 'A flavor is out of stock',
    by: 'no valid host',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'FlavorOutOfStock',
    message:
      '1/4 nodes are ready; {machine}: the cloud has no room for the server: No valid host was found. There are not enough hosts available.; another one will be created after a delay. Another flavor or zone may have room',
  },
  {
    cause: 'A server ends in ERROR',
    by: 'servers that fail',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'ServerFailed',
    message:
      '1/4 nodes are ready; {machine}: the server failed: Build of instance aborted: Failed to allocate the network(s), not rescheduling.; another one will be created after a delay',
  },
  {
    cause: 'Keystone is away',
    by: {
      from: 'nothing',
      begin: fault(
        { service: 'identity', action: { kind: 'drop' } },
        { service: 'network', action: { kind: 'answer', status: 401 } },
      ),
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Provisioning',
    reason: 'CloudUnavailable',
    message:
      'identity: Keystone at {host} cannot be reached while logging in; Fairway tries again by itself, every five minutes at the latest (the connection breaks)',
  },
  {
    cause: 'Neutron is away',
    by: {
      from: 'nothing',
      begin: fault({ service: 'network', action: { kind: 'answer', status: 503, message: 'down for maintenance' } }),
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Provisioning',
    reason: 'CloudUnavailable',
    message:
      'network: Neutron at {host} answers with status 503 while reading what the project has; Fairway tries again by itself, every five minutes at the latest (down for maintenance)',
  },
  {
    cause: 'Nova answers 500',
    by: '500 to servers',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'CloudUnavailable',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova at {host} answers with status 500 while creating servers; Fairway tries again by itself, every five minutes at the latest (Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the Nova API log if possible.)',
  },
  {
    cause: 'Nova limits rates',
    by: '429 to servers',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'RateLimited',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova limits how often it may be asked; Fairway tries again by itself, every five minutes at the latest (Injected by the simulator.)',
  },
  {
    cause: 'Connections to Nova break',
    by: 'broken connections',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'CloudUnavailable',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova at {host} cannot be reached while creating servers; Fairway tries again by itself, every five minutes at the latest (the connection breaks)',
  },
  {
    cause: 'The cloud is away from a healthy cluster',
    by: { from: 'a cluster', begin: fault({ action: { kind: 'drop' } }), ask: () => undefined },
    afterMs: 10 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'CloudReachable',
    reason: 'CloudUnavailable',
    message:
      'compute: Nova at {host} cannot be reached while reading what the project has; Fairway tries again by itself, every five minutes at the latest (the connection breaks); since {time}',
  },
];
