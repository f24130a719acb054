import { FakeClock } from '@fairway/base/clock-fake';
import { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Port } from '@fairway/openstack/types/network';
import { expect, test } from 'vitest';
import { RouterAttachments } from './router-attachments.ts';

const MINUTE_MS = 60_000;

function setUp() {
  const clock = new FakeClock();
  const attached = new Map<string, Port>();
  let lists = 0;
  const cache = new ResourceCache<Port>({
    name: 'routerInterfaces',
    clock,
    random: () => 0.5,
    intervals: { gapMs: 0 },
    async *list() {
      lists++;
      yield* attached.values();
    },
  });
  const attach = (id: string, networkID: string) => attached.set(id, { id, network_id: networkID } as Port);
  const attachments = new RouterAttachments(cache);
  const idsOf = async (networkID: string, maxAgeMs = 10 * MINUTE_MS) => {
    const ports = attachments.of(networkID, clock.now() - maxAgeMs);
    await clock.advance(1);
    return (await ports).map(({ id }) => id);
  };
  return { clock, attachments, attach, idsOf, lists: () => lists };
}

test('shares one list among the networks of a project until it is too old', async () => {
  const { clock, attach, idsOf, lists } = setUp();
  for (let number = 0; number < 20; number++) attach(`port-${number}`, `network-${number}`);

  for (let number = 0; number < 20; number++) expect(await idsOf(`network-${number}`)).toEqual([`port-${number}`]);
  expect(lists()).toBe(1);

  await clock.advance(11 * MINUTE_MS);
  expect(await idsOf('network-7')).toEqual(['port-7']);
  expect(await idsOf('network-8')).toEqual(['port-8']);
  expect(lists()).toBe(2);
});

test('lists a network again after a change here, but not other networks', async () => {
  const { clock, attachments, attach, idsOf, lists } = setUp();
  attach('other', 'network-2');
  expect(await idsOf('network-1')).toEqual([]);

  attach('new', 'network-1');
  attachments.forget('network-1', clock.now());

  expect(await idsOf('network-2')).toEqual(['other']);
  expect(lists()).toBe(1);
  expect(await idsOf('network-1')).toEqual(['new']);
  expect(await idsOf('network-1')).toEqual(['new']);
  expect(lists()).toBe(2);
});

test('does not list a new network until something is attached to it', async () => {
  const { clock, attachments, attach, idsOf, lists } = setUp();
  attachments.recordPorts('network-1', [], clock.now());
  expect(await idsOf('network-1')).toEqual([]);
  expect(lists()).toBe(0);

  attach('new', 'network-1');
  attachments.forget('network-1', clock.now());
  expect(await idsOf('network-1')).toEqual(['new']);
  expect(lists()).toBe(1);
});
