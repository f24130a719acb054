import { setImmediate } from 'node:timers/promises';
import { aCluster } from '@fairway/api/testing/objects';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { CacheOverflowError } from '@fairway/kube/client/cache-budget';
import { TransportError } from '@fairway/kube/client/transport';
import { expect, test } from 'vitest';
import { TenantClusters } from './tenant-clusters.ts';

test('rejects waiting callers when a connection is removed', async () => {
  const connected = Promise.withResolvers<void>();
  const tenants = new TenantClusters({
    // An API server that accepts connections and never responds.
    connect: () =>
      Promise.resolve({
        request: () => {
          connected.resolve();
          return new Promise<never>(() => undefined);
        },
        close: () => undefined,
      }),
    clock: new FakeClock(),
    random: () => 0.5,
    log: silentLogger,
  });
  const cluster = aCluster({}, { uid: 'uid-1' });
  const waiting = tenants.ensure(cluster).catch((error: unknown) => error);
  await connected.promise;
  // The caller is now waiting for the nodes.
  await setImmediate();
  const [connection] = tenants.connected();
  tenants.remove('uid-1');

  expect(await waiting).toBeInstanceOf(TransportError);
  expect(tenants.connected()).toEqual([]);
  expect(connection?.signal.aborted).toBe(true);
});

test.each([
  // 5 MB per page, of which 32 MiB are cached.
  { cacheLimits: undefined, pages: 7, reason: 'a tenant’s cluster up to its cache limit' },
  { cacheLimits: 'none' as const, pages: 12, reason: "the operator's cluster completely" },
])('reads a long list of nodes in $reason', async ({ cacheLimits, pages }) => {
  let requests = 0;
  const annotations = { note: 'x'.repeat(10_000) };
  const page = () => ({
    metadata: { resourceVersion: '1', ...(++requests < 12 && { continue: `after ${requests}` }) },
    items: Array.from({ length: 500 }, (_, index) => ({ metadata: { name: `n${requests}-${index}`, annotations } })),
  });
  const tenants = new TenantClusters({
    connect: () =>
      Promise.resolve({
        request: ({ isWatch = false }) => {
          if (isWatch) return new Promise<never>(() => undefined);
          const body = JSON.stringify(page());
          return Promise.resolve({ status: 200, headers: {}, text: () => Promise.resolve(body), async *lines() {} });
        },
        close: () => undefined,
      }),
    ...(cacheLimits && { cacheLimits }),
    clock: new FakeClock(),
    random: () => 0.5,
    log: silentLogger,
  });
  const waiting = tenants.ensure(aCluster({}, { uid: 'uid-1' })).catch((error: unknown) => error);
  const [connection] = await connectionsOf(tenants);
  while (connection?.nodes.lastError === undefined && connection?.nodes.hasSynced !== true) await setImmediate();

  const isOver = pages < 12;
  expect(connection.nodes.lastError instanceof CacheOverflowError).toBe(isOver);
  expect([requests, connection.nodes.hasSynced]).toEqual([pages, !isOver]);
  tenants.remove('uid-1');
  await waiting;
});

async function connectionsOf(tenants: TenantClusters) {
  while (tenants.connected().length === 0) await setImmediate();
  return tenants.connected();
}
