import { nodePools } from '@fairway/api/kinds/node-pool';
import { expect, test } from 'vitest';
import { SHARE_DRIVER } from '../../shares/driver.ts';
import { manilaCalls, nodeAddressesOf, rulesOf, sharesOf, startShares } from '../../shares/testing/share-fairway.ts';
import { aClaim } from '../../volumes/testing/objects.ts';
import type { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

const READ_WRITE_MANY = { accessModes: ['ReadWriteMany'] };

async function start(options: Parameters<typeof startShares>[0] = {}): Promise<StorageFairway> {
  const storage = await startShares(options);
  await storage.create(aClaim(READ_WRITE_MANY));
  await storage.clock.pass(120_000);
  return storage;
}

async function scale({ clock, fairway }: StorageFairway, replicas: number): Promise<void> {
  await fairway.patch(nodePools, 'general', { spec: { replicas } });
  await clock.during(fairway.poolReady());
  await clock.pass(60_000);
}

async function addressesWithAccess(storage: StorageFairway): Promise<readonly string[]> {
  const [share] = await sharesOf(storage);
  const rules = await rulesOf(storage, share?.id ?? '');
  return rules.map(({ access_to: to, state }) => `${to}${state === 'active' ? '' : ` ${state}`}`).toSorted();
}

test('grants access to new nodes, revokes it from deleted ones, and keeps foreign rules', async () => {
  await using storage = await start();
  const { clock, fairway } = storage;
  const [share] = await sharesOf(storage);
  const { accessRules } = fairway.process.project.client.sharedFileSystem;
  await clock.during(accessRules.allow(share?.id ?? '', { ip: '192.0.2.7', level: 'ro' }));

  await scale(storage, 3);
  const threeNodes = await nodeAddressesOf(storage);
  expect(await addressesWithAccess(storage)).toEqual([...threeNodes, '192.0.2.7']);

  await scale(storage, 1);
  const one = await nodeAddressesOf(storage);
  expect([threeNodes.length, one.length]).toEqual([3, 1]);
  expect(await addressesWithAccess(storage)).toEqual([...one, '192.0.2.7']);
});

test('adds one rule per share and new node if a cluster with ten shares grows by ten nodes, and makes few other calls', async () => {
  await using storage = await startShares();
  const { clock } = storage;
  for (let index = 0; index < 10; index++) await storage.create(aClaim(READ_WRITE_MANY, { name: `data-${index}` }));
  await clock.pass(300_000);
  const before = manilaCalls(storage);

  await scale(storage, 11);
  await clock.pass(60_000);
  const calls = manilaCalls(storage) - before;

  const addresses = await nodeAddressesOf(storage);
  const shares = await sharesOf(storage);
  expect(shares).toHaveLength(10);
  for (const { id } of shares) {
    expect((await rulesOf(storage, id)).map(({ access_to: to }) => to).toSorted()).toEqual(addresses);
  }
  // One rule for each share and node, and the list calls that show when the rules take effect.
  expect(calls).toBeGreaterThanOrEqual(100);
  expect(calls).toBeLessThanOrEqual(130);
});

test('lists the rules of an idle cluster once an hour', async () => {
  await using storage = await start();
  await storage.clock.pass(3_600_000);
  const before = manilaCalls(storage);
  await storage.clock.pass(3_600_000);

  expect(manilaCalls(storage) - before).toBeLessThanOrEqual(20);
});

test('restores a removed rule within an hour', async () => {
  await using storage = await start();
  const { clock, fairway } = storage;
  const [share] = await sharesOf(storage);
  const [rule] = await rulesOf(storage, share?.id ?? '');
  const { accessRules } = fairway.process.project.client.sharedFileSystem;
  await clock.during(accessRules.deny(share?.id ?? '', rule?.id ?? ''));
  await clock.pass(10_000);
  const remainingAddresses = await addressesWithAccess(storage);
  await clock.pass(3_700_000);

  expect(remainingAddresses).toEqual([]);
  expect(await addressesWithAccess(storage)).toEqual(await nodeAddressesOf(storage));
});

test('lets a class narrow down the addresses that have access, but never open a share to the world', async () => {
  await using storage = await startShares({ parameters: { 'nfs-shareClient': '0.0.0.0/0' } });
  await storage.create(aClaim(READ_WRITE_MANY));
  await storage.clock.pass(120_000);

  expect(await addressesWithAccess(storage)).toEqual(await nodeAddressesOf(storage));

  await using narrowStorage = await startShares({ parameters: { 'nfs-shareClient': '192.0.2.0/24' } });
  await narrowStorage.create(aClaim(READ_WRITE_MANY));
  await narrowStorage.clock.pass(120_000);

  expect(await addressesWithAccess(narrowStorage)).toEqual([]);
  expect((await narrowStorage.claim())?.status?.phase).toBe('Bound');
});

test('reports rules that Manila cannot apply, and retries them with few calls', async () => {
  await using storage = await start();
  const { clock, fairway } = storage;
  const fault = fairway.cloud.faults.add({ times: null, action: { kind: 'shareError', step: 'access' } });
  await fairway.patch(nodePools, 'general', { spec: { replicas: 2 } });
  await clock.during(fairway.poolReady());
  await clock.pass(120_000);
  const reported = await storage.messages(SHARE_DRIVER);
  const before = manilaCalls(storage);
  await clock.pass(3_600_000);
  const calls = manilaCalls(storage) - before;
  fairway.cloud.faults.remove(fault);
  await clock.pass(900_000);

  expect(reported).toContainEqual(expect.stringMatching(/^VolumeAccessFailed: .*failed to give .* access to share/));
  expect(calls).toBeLessThanOrEqual(60 * 4);
  expect(await addressesWithAccess(storage)).toEqual(await nodeAddressesOf(storage));
});

test.each([
  { cause: 'refuses', action: { kind: 'answer', status: 403 } },
  { cause: 'fails', action: { kind: 'answer', status: 500 } },
  { cause: 'acts but returns 503', action: { kind: 'answer', status: 503, when: 'after' } },
  { cause: 'limits', action: { kind: 'answer', status: 429, retryAfterSeconds: 30 } },
] as const)('makes few calls while Manila $cause for an hour, and then grants all access', async ({ action }) => {
  await using storage = await start();
  const { clock, fairway } = storage;
  const rule = { service: 'shared-file-system', method: 'POST', path: '/action$', times: null, action } as const;
  const fault = fairway.cloud.faults.add(rule);
  await fairway.patch(nodePools, 'general', { spec: { replicas: 3 } });
  await clock.during(fairway.poolReady());
  await clock.pass(60_000);
  const before = manilaCalls(storage);
  await clock.pass(3_600_000);
  const calls = manilaCalls(storage) - before;
  fairway.cloud.faults.remove(fault);
  await clock.pass(900_000);

  expect(calls).toBeLessThanOrEqual(60 * 6);
  expect(await addressesWithAccess(storage)).toEqual(await nodeAddressesOf(storage));
});
