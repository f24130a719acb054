import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';
import type { ApiFault, ChooseApiFault } from '../testing/unreliable-api.ts';

const isWrite = ({ method }: TransportRequest) => method !== 'GET';
const isList = ({ method, path }: TransportRequest) => method === 'GET' && path.includes('limit=500');
const isWatch = ({ path }: TransportRequest) => path.includes('watch=true');

interface Case {
  readonly reason: string;
  readonly fault: ApiFault;
  readonly matches: (request: TransportRequest) => boolean;
}

/** The first two requests of each method to each path fail, so that retries also fail. */
function failFirstTwoRequests(fault: ApiFault, matches: Case['matches']): ChooseApiFault {
  const counts = new Map<string, number>();
  return (request) => {
    if (!matches(request)) return undefined;
    const key = `${request.method} ${request.path.replace(/\?.*/, '')}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= 2 ? fault : undefined;
  };
}

const CASES: readonly Case[] = [
  { reason: '429 on a write', fault: { kind: 'answer', status: 429, retryAfterSeconds: 1 }, matches: isWrite },
  { reason: '429 on a list', fault: { kind: 'answer', status: 429, retryAfterSeconds: 1 }, matches: isList },
  { reason: '500 on a write', fault: { kind: 'answer', status: 500 }, matches: isWrite },
  { reason: '503 on a watch', fault: { kind: 'answer', status: 503 }, matches: isWatch },
  { reason: 'a connection that breaks before a write', fault: { kind: 'breaksBefore' }, matches: isWrite },
  { reason: 'a connection that breaks after a write', fault: { kind: 'breaksAfter' }, matches: isWrite },
  { reason: 'a watch whose version is too old', fault: { kind: 'expires' }, matches: isWatch },
];

describe("each request to Fairway's own API fails twice", () => {
  test.each(CASES)('$reason: everything converges, nothing is duplicated or left over', async ({ fault, matches }) => {
    await using fairway = await TestFairway.start({ apiFaults: failFirstTwoRequests(fault, matches) });
    const before = resourceCounts(fairway.cloud);

    await fairway.readyCluster({ replicas: 2, floatingIPs: { enabled: true } });
    const initialCounts = resourceCounts(fairway.cloud);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    const scaledMachines = await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(initialCounts).toMatchObject({ servers: 2, networks: 2, routers: 1, floating_ips: 2 });
    expect(scaledMachines).toHaveLength(3);
    expect(resourceCounts(fairway.cloud)).toEqual(before);
  });
});
