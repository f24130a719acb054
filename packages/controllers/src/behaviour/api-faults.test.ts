import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { TransportRequest } from '@fairway/kube/client/transport';
import { describe, expect, test } from 'vitest';
import { holdings } from '../testing/cloud-contents.ts';
import { isReady, TestFairway } from '../testing/test-fairway.ts';
import type { ApiFault, ChooseApiFault } from '../testing/unreliable-api.ts';

const isWrite = ({ method }: TransportRequest) => method !== 'GET';
const isList = ({ method, path }: TransportRequest) => method === 'GET' && path.includes('limit=500');
const isWatch = ({ path }: TransportRequest) => path.includes('watch=true');

interface Case {
  readonly reason: string;
  readonly fault: ApiFault;
  readonly hits: (request: TransportRequest) => boolean;
}

/** The first two requests of a method to a path fail, so that each retry is tested, too. */
function firstTwoOfEach(fault: ApiFault, hits: Case['hits']): ChooseApiFault {
  const met = new Map<string, number>();
  return (request) => {
    if (!hits(request)) return undefined;
    const key = `${request.method} ${request.path.replace(/\?.*/, '')}`;
    const count = (met.get(key) ?? 0) + 1;
    met.set(key, count);
    return count <= 2 ? fault : undefined;
  };
}

const CASES: readonly Case[] = [
  { reason: '429 to a write', fault: { kind: 'answer', status: 429, retryAfterSeconds: 1 }, hits: isWrite },
  { reason: '429 to a list', fault: { kind: 'answer', status: 429, retryAfterSeconds: 1 }, hits: isList },
  { reason: '500 to a write', fault: { kind: 'answer', status: 500 }, hits: isWrite },
  { reason: '503 to a watch', fault: { kind: 'answer', status: 503 }, hits: isWatch },
  { reason: 'a connection that breaks before a write', fault: { kind: 'breaksBefore' }, hits: isWrite },
  { reason: 'a connection that breaks after a write', fault: { kind: 'breaksAfter' }, hits: isWrite },
  { reason: 'a watch whose version is too old', fault: { kind: 'expires' }, hits: isWatch },
];

describe("each request to Fairway's own API fails twice", () => {
  test.each(CASES)('$reason: everything converges, nothing is duplicated, nothing is left', async ({ fault, hits }) => {
    await using fairway = await TestFairway.start({ apiFaults: firstTwoOfEach(fault, hits) });
    const before = holdings(fairway.cloud);

    await fairway.readyCluster({ replicas: 2, floatingIPs: { enabled: true } });
    const made = holdings(fairway.cloud);
    await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
    const grown = await fairway.until(machines, (all) => all.length === 3 && all.every(isReady));
    await fairway.delete(clusters, 'demo');
    await fairway.until(clusters, (left) => left.length === 0);

    expect(made).toMatchObject({ servers: 2, networks: 2, routers: 1, floating_ips: 2 });
    expect(grown).toHaveLength(3);
    expect(holdings(fairway.cloud)).toEqual(before);
  });
});
