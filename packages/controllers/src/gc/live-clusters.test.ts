import { aCluster } from '@fairway/api/testing/objects';
import { FakeClock } from '@fairway/base/clock-fake';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Attempts } from '@fairway/kube/controller/attempts';
import { type FakeResponse, FakeTransport } from '@fairway/kube/testing/fake-transport';
import { clusterTag, FAIRWAY_TAG, machineTag } from '@fairway/tenancy/cloud/ownership';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import { describe, expect, test } from 'vitest';
import type { ControllerDependencies } from '../dependencies.ts';
import { LiveClusterGC } from './live-clusters.ts';

const cluster = aCluster({}, { name: 'demo', namespace: 'team', uid: 'cluster-uid' });
const orphan = { id: 'server-1', name: 'demo-a', tags: [FAIRWAY_TAG, clusterTag('cluster-uid'), machineTag('gone')] };

/** A cluster with a server whose Machine has been deleted. */
function start(respond: () => FakeResponse | undefined) {
  const clock = new FakeClock();
  const api = new FakeTransport(respond);
  const deleted: string[] = [];
  const events: string[] = [];
  const cloud = {
    listedServers: () => ({ items: new Map([[orphan.id, orphan]]), listedAtMs: 0 }),
    ledgers: { servers: { isDeleting: (id: string) => deleted.includes(id) } },
    cache: { servers: { snapshot: () => ({ items: new Map([[orphan.id, orphan]]) }) } },
    now: () => clock.now(),
    client: { compute: { servers: { delete: () => Promise.resolve() } } },
    remove: async (_: unknown, id: string, remove: () => Promise<unknown>) => {
      await remove();
      deleted.push(id);
    },
  };
  const living = new LiveClusterGC(
    {
      client: new KubeClient(api, { clock }),
      cache: { clusters: { get: () => cluster }, machines: { find: () => [] }, nodePools: { find: () => [] } },
      clouds: { of: () => cloud },
      attempts: new Attempts({ clock, random: () => 1, classify: classifyError }),
      events: { warning: (_: unknown, reason: string) => events.push(reason) },
      clock,
    } as unknown as ControllerDependencies,
    () => undefined,
  );
  const sweeper = {
    async reconcile(key: string, context: { signal: AbortSignal }) {
      const pass = new Pass(context, clock);
      await living.sweep(key, pass);
      return pass.end();
    },
  };
  return { sweeper, api, clock, deleted, events };
}

describe('servers of deleted Machines', () => {
  const signal = new AbortController().signal;

  test('are deleted', async () => {
    const { sweeper, deleted, events } = start(() => ({ body: { items: [] } }));

    // Until the next slow check, which covers resources that no shared list contains.
    expect(await sweeper.reconcile('team/demo', { signal })).toEqual({ requeueAfterMs: 3_600_000 });
    expect(deleted).toEqual(['server-1']);
    expect(events).toEqual(['OrphanDeleted']);
  });

  test('are kept if the API does not return the Machines: this is reported once, and retried less and less often', async () => {
    const { sweeper, api, clock, deleted, events } = start(() => ({ status: 403 }));

    const results = [];
    for (let i = 0; i < 5; i++) results.push(await sweeper.reconcile('team/demo', { signal }));
    const [first] = results;
    const requestCount = api.requests.length;
    await clock.advance(1_001);
    await sweeper.reconcile('team/demo', { signal });

    expect(first).toMatchObject({ requeueAfterMs: 1_001 });
    // For Machines and NodePools.
    expect(requestCount).toBe(2);
    expect(api.requests.length).toBe(4);
    expect(events).toEqual(['OrphanNotDeleted']);
    expect(deleted).toEqual([]);
  });

  test('are left to the next owner if the signal is aborted', async () => {
    const abort = new AbortController();
    const { sweeper, deleted, events } = start(() => {
      abort.abort();
      return { body: { items: [] } };
    });

    await expect(sweeper.reconcile('team/demo', { signal: abort.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(deleted).toEqual([]);
    expect(events).toEqual([]);
  });
});
