import { setImmediate } from 'node:timers/promises';
import { aCluster } from '@fairway/api/testing/objects';
import { FakeClock } from '@fairway/base/clock-fake';
import { silentLogger } from '@fairway/base/log';
import { TransportError } from '@fairway/kube/client/transport';
import { expect, test } from 'vitest';
import { TenantClusters } from './tenant-clusters.ts';

test('waiters for a connection that is removed are rejected', async () => {
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
  // Its caller waits for the nodes now.
  await setImmediate();
  const [connection] = tenants.connected();
  tenants.remove('uid-1');

  expect(await waiting).toBeInstanceOf(TransportError);
  expect(tenants.connected()).toEqual([]);
  expect(connection?.signal.aborted).toBe(true);
});
