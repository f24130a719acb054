import { type Cause, fault, MINUTE_MS } from './cause.ts';

/** Reports about the cloud. */
export const CLOUD_CAUSES: readonly Cause[] = [
  {
    cause: 'A flavor is out of stock',
    by: 'no valid host',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'FlavorOutOfStock',
    message:
      '1/4 nodes are ready; {machine}: the cloud has no capacity for the server: No valid host was found. There are not enough hosts available.; another one will be created after a delay. Another flavor or zone may have capacity',
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
      'identity: Keystone at {host} cannot be reached while logging in; Fairway retries at least every five minutes (the connection was lost)',
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
      'network: Neutron at {host} returned status 503 while reading resources of the project; Fairway retries at least every five minutes (down for maintenance)',
  },
  {
    cause: 'Nova answers 500',
    by: '500 to servers',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'CloudUnavailable',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova at {host} returned status 500 while creating servers; Fairway retries at least every five minutes (Unexpected API Error. Please report this at http://bugs.launchpad.net/nova/ and attach the Nova API log if possible.)',
  },
  {
    cause: 'Nova limits rates',
    by: '429 to servers',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'RateLimited',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova is rate limiting requests; Fairway retries at least every five minutes (Injected by the simulator.)',
  },
  {
    cause: 'Connections to Nova break',
    by: 'broken connections',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'CloudUnavailable',
    message:
      '1/4 nodes are ready; {machine}: compute: Nova at {host} cannot be reached while creating servers; Fairway retries at least every five minutes (the connection was lost)',
  },
  {
    cause: 'The cloud is unavailable to a healthy cluster',
    by: { from: 'a cluster', begin: fault({ action: { kind: 'drop' } }), request: () => undefined },
    afterMs: 10 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'CloudReachable',
    reason: 'CloudUnavailable',
    message:
      'compute: Nova at {host} cannot be reached while reading resources of the project; Fairway retries at least every five minutes (the connection was lost); since {time}',
  },
];
