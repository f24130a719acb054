import { MISSING_SINCE_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import type { FaultInput } from '@fairway/simulator/http/faults';
import { describe, expect, test } from 'vitest';
import { resourceCounts } from '../testing/cloud-contents.ts';
import { caSecretOf, forceDelete } from '../testing/force-delete.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';
import { TestOwner } from '../testing/test-owner.ts';
import type { ChooseApiFault } from '../testing/unreliable-api.ts';

const MINUTE_MS = 60_000;
const GRACE_MS = 10 * MINUTE_MS;
/** Eight a minute, including periodic lists: a sweep covers fourteen kinds. */
const LIMIT_PER_HOUR = 450;
const DEMO_KEY = `${TEAM}/demo`;

interface Setting {
  readonly owner?: TestOwner;
  readonly apiFaults?: ChooseApiFault;
}

/** A cluster with one node on a stepping clock, and the number of requests to Fairway's own API. */
async function startMissingCluster({ owner, apiFaults }: Setting = {}) {
  const clock = new SteppingClock();
  const requests = { reads: 0, writes: 0 };
  const fairway = await TestFairway.start({
    clock,
    ...(owner && { owner }),
    apiFaults: (request) => {
      if (request.method === 'GET') requests.reads++;
      else requests.writes++;
      return apiFaults?.(request);
    },
  });
  owner?.take(DEMO_KEY, { isInherited: false });
  const cluster = await clock.during(fairway.readyCluster({ replicas: 1 }));
  await clock.pass(MINUTE_MS);
  return { clock, fairway, cluster, requests };
}

async function caSecretState(fairway: TestFairway, cluster: Cluster): Promise<'kept' | 'gone'> {
  const { client, selection } = caSecretOf(fairway, cluster);
  return (await client.list(selection)).items.length > 0 ? 'kept' : 'gone';
}

async function missingSince(fairway: TestFairway, cluster: Cluster): Promise<string | undefined> {
  const { client, selection } = caSecretOf(fairway, cluster);
  return (await client.list(selection)).items[0]?.metadata.annotations?.[MISSING_SINCE_ANNOTATION];
}

describe('the grace period of a missing Cluster', () => {
  test('ends even if the process restarts every few minutes', async () => {
    const { clock, fairway, cluster } = await startMissingCluster();
    await using _ = fairway;
    await forceDelete(fairway, cluster);
    await clock.pass(4 * MINUTE_MS);
    const since = await missingSince(fairway, cluster);

    for (const restart of ['first', 'second']) {
      await clock.during(fairway.stopProcess());
      await clock.during(fairway.startProcess());
      await clock.pass(restart === 'first' ? 4 * MINUTE_MS : MINUTE_MS);
      expect(await missingSince(fairway, cluster)).toBe(since);
    }
    await clock.pass(2 * MINUTE_MS);

    expect(await caSecretState(fairway, cluster)).toBe('gone');
    expect(resourceCounts(fairway.cloud)).toMatchObject({ servers: 0, networks: 1, routers: 0 });
  });

  test('continues if another replica takes over the cluster', async () => {
    const [first, second] = [new TestOwner(), new TestOwner()];
    const { clock, fairway, cluster } = await startMissingCluster({ owner: first });
    await using _ = fairway;
    const firstProcess = fairway.process;
    await clock.during(fairway.startProcess(second));
    await forceDelete(fairway, cluster);
    await clock.pass(5 * MINUTE_MS);

    await clock.during(first.release(DEMO_KEY));
    await clock.pass(MINUTE_MS);
    second.take(DEMO_KEY, { isInherited: true });
    await clock.pass(3 * MINUTE_MS);
    expect(await caSecretState(fairway, cluster)).toBe('kept');
    await clock.pass(2 * MINUTE_MS);

    expect(await caSecretState(fairway, cluster)).toBe('gone');
    await clock.during(firstProcess.stop());
  });

  test('costs two reads and one write, but nothing for existing clusters', async () => {
    const { clock, fairway, cluster, requests } = await startMissingCluster();
    await using _ = fairway;
    // By then the CloudProfile has been refreshed, so its quotas include the new server.
    await clock.pass(3 * GRACE_MS);
    const idle = { ...requests };
    await clock.pass(GRACE_MS);
    const rest = { reads: requests.reads - idle.reads, writes: requests.writes - idle.writes };
    await forceDelete(fairway, cluster);
    const before = { ...requests };
    await clock.pass(GRACE_MS / 2);

    const { reads, writes } = requests;
    expect(rest.writes).toBe(0);
    // Lists of the namespace's CA Secrets and Clusters, in addition to the usual watches.
    expect(reads - before.reads).toBeLessThanOrEqual(rest.reads + 4);
    // Includes the end of its usage record, and the pool's Event about the deletion of its cluster.
    expect(writes - before.writes).toBeLessThanOrEqual(8);
  });

  test('starts over if the Cluster reappears', async () => {
    const { clock, fairway, cluster } = await startMissingCluster();
    await using _ = fairway;
    const { client, selection } = caSecretOf(fairway, cluster);
    const name = (await client.list(selection)).items[0]?.metadata.name ?? '';
    const annotations = { [MISSING_SINCE_ANNOTATION]: new Date(0).toISOString() };
    await client.patch(name, { type: 'merge', value: { metadata: { annotations } } }, { namespace: SYSTEM_NAMESPACE });
    await clock.pass(1_000);

    expect(await missingSince(fairway, cluster)).toBeUndefined();
    expect((await fairway.client.resource(clusters).list()).items).toHaveLength(1);
  });
});

const CLOUD_FAULTS: readonly { cause: string; fault: FaultInput }[] = [
  { cause: '403 to deletions of servers', fault: deletion('servers', 403) },
  { cause: '500 to deletions of servers', fault: deletion('servers', 500) },
  { cause: '409 to deletions of networks', fault: { ...deletion('networks', 409), service: 'network' } },
  { cause: '500 to lists of routers', fault: { ...deletion('routers', 500), service: 'network', method: 'GET' } },
  { cause: '503 of everything', fault: { times: null, action: { kind: 'answer', status: 503 } } },
  { cause: 'broken connections', fault: { times: null, action: { kind: 'drop' } } },
];

function deletion(resource: string, status: number): FaultInput {
  return {
    service: 'compute',
    method: 'DELETE',
    path: `/${resource}`,
    times: null,
    action: { kind: 'answer', status },
  };
}

describe('a sweep that fails for hours', () => {
  test.each(CLOUD_FAULTS)('makes a few calls a minute during $cause, and ends once it succeeds', async ({ fault }) => {
    const { clock, fairway, cluster, requests } = await startMissingCluster();
    await using _ = fairway;
    fairway.cloud.faults.add(fault);
    await forceDelete(fairway, cluster);
    await clock.pass(GRACE_MS + MINUTE_MS);
    const before = { calls: fairway.cloud.calls.total, writes: requests.writes };

    await clock.pass(60 * MINUTE_MS);
    const hour = { calls: fairway.cloud.calls.total - before.calls, writes: requests.writes - before.writes };
    fairway.cloud.faults.clear();
    await clock.pass(15 * MINUTE_MS);

    expect(hour.calls).toBeLessThanOrEqual(LIMIT_PER_HOUR);
    expect(hour.writes).toBeLessThanOrEqual(10);
    expect(await caSecretState(fairway, cluster)).toBe('gone');
  });

  test.each([403, 500] as const)("makes a few requests a minute if Fairway's own API returns %i", async (status) => {
    let isRefused = false;
    const { clock, fairway, cluster, requests } = await startMissingCluster({
      apiFaults: ({ path, method }) =>
        isRefused && method === 'DELETE' && path.includes('/secrets') ? { kind: 'answer', status } : undefined,
    });
    await using _ = fairway;
    await forceDelete(fairway, cluster);
    isRefused = true;
    await clock.pass(GRACE_MS + MINUTE_MS);
    const before = { calls: fairway.cloud.calls.total, ...requests };

    await clock.pass(60 * MINUTE_MS);
    const hour = { calls: fairway.cloud.calls.total - before.calls, reads: requests.reads - before.reads };
    const writes = requests.writes - before.writes;
    isRefused = false;
    await clock.pass(10 * MINUTE_MS);

    expect(hour.calls).toBeLessThanOrEqual(LIMIT_PER_HOUR);
    expect(hour.reads).toBeLessThanOrEqual(LIMIT_PER_HOUR);
    expect(writes).toBeLessThanOrEqual(20);
    expect(await caSecretState(fairway, cluster)).toBe('gone');
  });
});
