import { plans } from '@fairway/api/kinds/plan';
import type { TestFairway } from '@fairway/controllers/testing/test-fairway';
import { expect, test } from 'vitest';
import { GatewayFairway } from '../gateways/testing/gateway-fairway.ts';
import { RoutedFairway } from '../ingresses/testing/routed-fairway.ts';
import { withoutLists } from '../load-balancers/testing/call-counts.ts';
import { SHARE_DRIVER } from '../shares/driver.ts';
import { sharesOf, startShares } from '../shares/testing/share-fairway.ts';
import { aSnapshot, aSnapshotClass } from '../volume-snapshots/testing/objects.ts';
import { aClaim } from '../volumes/testing/objects.ts';
import { StorageFairway } from '../volumes/testing/storage-fairway.ts';

const MINUTE_MS = 60_000;
/** Refused claims are checked this often. */
const RETRY_MS = 16 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** `null`: all features. */
async function offer(fairway: TestFairway, features: readonly string[] | null): Promise<void> {
  const limitNotes = [{ limit: 'allowed.features', alternative: 'use plan standard' }];
  await fairway.patch(plans, 'free', { spec: { allowed: { features }, limitNotes } });
}

const excluding = (what: string) =>
  `the cluster's plan does not include ${what}: choose another plan, or ask the operator. Use plan standard`;
const INGRESSES = excluding("Ingresses on the cloud's load balancers");
const GATEWAYS = excluding("Gateways on the cloud's load balancers");

test('an Ingress gets no load balancer without the feature, and makes no calls', async () => {
  await using routed = await RoutedFairway.start();
  const { balanced } = routed;
  await offer(balanced.fairway, []);
  await routed.create('shop');
  await routed.pass(MINUTE_MS);
  const calls = balanced.countCalls();
  await routed.pass(HOUR_MS);
  const refused = { trees: await balanced.trees(), warnings: await routed.warnings(), events: await routed.events() };
  const more = withoutLists(calls());
  await offer(balanced.fairway, null);
  await routed.pass(2 * MINUTE_MS);

  expect(refused).toMatchObject({ trees: [], warnings: [INGRESSES] });
  expect(refused.events).toEqual([expect.stringMatching(/^Warning PlanLimitExceeded [123]$/)]);
  expect(Object.keys(more).filter((call) => !call.startsWith('GET'))).toEqual([]);
  expect(await balanced.trees()).toHaveLength(1);
});

test('the load balancer of an Ingress outlives the feature, and is reported', async () => {
  await using routed = await RoutedFairway.startWithShop();
  await offer(routed.balanced.fairway, []);
  await routed.pass(MINUTE_MS);

  expect(await routed.balanced.trees()).toHaveLength(1);
  expect(await routed.warnings()).toEqual([`the load balancer is kept, but a new one would be refused: ${INGRESSES}`]);
  await routed.delete('shop');
  await routed.pass(2 * MINUTE_MS);
  expect(await routed.balanced.trees()).toEqual([]);
  expect(await routed.names()).toEqual([]);
});

test('a Gateway gets no load balancer without the feature, and reports why', async () => {
  await using fairway = await GatewayFairway.start();
  const { balanced } = fairway;
  await offer(balanced.fairway, ['Ingresses']);
  await fairway.createGateway('shop');
  await fairway.createRoute('shop');
  await fairway.pass(2 * MINUTE_MS);
  const refused = { trees: await balanced.trees(), conditions: await fairway.conditions() };
  const messages = await fairway.messages();
  await offer(balanced.fairway, null);
  await fairway.pass(2 * MINUTE_MS);

  expect(refused).toEqual({ trees: [], conditions: ['Accepted True Accepted', 'Programmed False PlanLimitExceeded'] });
  expect(messages).toContain(GATEWAYS);
  expect(await balanced.trees()).toHaveLength(1);
});

test('a claim gets no share without the feature', async () => {
  await using storage = await startShares();
  await offer(storage.fairway, []);
  await storage.clock.pass(1_000);
  await storage.create(aClaim());
  await storage.clock.pass(MINUTE_MS);
  const refused = { shares: await sharesOf(storage), messages: await storage.messages(SHARE_DRIVER) };
  await offer(storage.fairway, null);
  await storage.clock.pass(RETRY_MS);

  expect(refused).toEqual({ shares: [], messages: [`ProvisioningFailed: ${excluding('shares of Manila')}`] });
  expect(await sharesOf(storage)).toHaveLength(1);
});

test('no snapshot is taken without the feature', async () => {
  await using storage = await StorageFairway.start();
  await storage.create(aClaim());
  await storage.create(aSnapshotClass());
  await storage.clock.pass(MINUTE_MS);
  await offer(storage.fairway, []);
  await storage.clock.pass(1_000);
  await storage.create(aSnapshot());
  await storage.clock.pass(MINUTE_MS);
  const refused = { contents: await storage.contents(), messages: await storage.messages() };
  await offer(storage.fairway, null);
  await storage.clock.pass(RETRY_MS);

  expect(refused.contents).toEqual([]);
  expect(refused.messages).toContain(`PlanLimitExceeded: ${excluding('volume snapshots')}`);
  expect(await storage.contents()).toMatchObject([{ status: { readyToUse: true } }]);
});
