import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import { FakeClock } from '@fairway/base/clock-fake';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { Secrets } from '@fairway/kube/kinds/resources';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SessionKeyManager } from '../../console/session-key-manager.ts';
import { SESSION_KEYS_SECRET } from '../../console/session-keys.ts';
import { ManagementCluster } from '../../testing/management-cluster.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

let cluster: ManagementCluster;
let client: KubeClient;
let clock: FakeClock;
beforeEach(async () => {
  cluster = await ManagementCluster.start();
  client = cluster.client;
  clock = new FakeClock();
});
afterEach(() => cluster.close());

const activeKeyOf = async (manager: SessionKeyManager) => (await manager.get()).active.id;

it('gives replicas that start at the same time the same key', async () => {
  const managers = [1, 2, 3].map(() => new SessionKeyManager(client, clock));
  const ids = await Promise.all(managers.map(activeKeyOf));

  expect(new Set(ids).size).toBe(1);
});

it('lets a replica with an outdated cache open a session that another replica sealed', async () => {
  const [first, second] = [new SessionKeyManager(client, clock), new SessionKeyManager(client, clock)];
  const oldKey = await activeKeyOf(first);
  await activeKeyOf(second);
  await clock.advance(7 * DAY_MS);
  await Promise.all([first.get(), second.get()]);
  await clock.advance(11 * MINUTE_MS);
  const next = await first.get();

  expect(next.active.id).not.toBe(oldKey);
  expect(next.previousKeys.map(({ id }) => id)).toEqual([oldKey]);
  expect(await activeKeyOf(second)).toBe(next.active.id);
});

it('recreates a deleted Secret, which ends all sessions', async () => {
  const manager = new SessionKeyManager(client, clock);
  const oldKey = await activeKeyOf(manager);
  await client.resource(Secrets).delete(SESSION_KEYS_SECRET, { namespace: SYSTEM_NAMESPACE });
  await clock.advance(6 * MINUTE_MS);
  const { active, previousKeys } = await manager.get();

  expect(active.id).not.toBe(oldKey);
  expect(previousKeys).toEqual([]);
});

it('rarely queries the API', async () => {
  let reads = 0;
  const countingClient = {
    resource: (kind: typeof Secrets) => (reads++, client.resource(kind)),
  } as unknown as KubeClient;
  const manager = new SessionKeyManager(countingClient, clock);
  for (let count = 0; count < 100; count++) await manager.get();

  expect(reads).toBe(1);
});

it('continues with cached keys while the API is unavailable, and reports an error if there are none', async () => {
  const manager = new SessionKeyManager(client, clock);
  const known = await activeKeyOf(manager);
  const late = new SessionKeyManager(client, clock);
  await cluster.close();
  await clock.advance(6 * MINUTE_MS);

  expect(await activeKeyOf(manager)).toBe(known);
  await expect(late.get()).rejects.toMatchObject({ code: 503 });
});
