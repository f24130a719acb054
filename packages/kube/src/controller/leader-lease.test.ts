import { kindOf } from '@fairway/apiserver/kinds/builtin-kinds';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { TestServer, testResources } from '@fairway/apiserver/server/test-server';
import { expect, test } from 'vitest';
import { KubeClient } from '../client/kube-client.ts';
import type { Transport } from '../client/transport.ts';
import { Leases } from '../kinds/resources.ts';
import { LeaderLease } from './leader-lease.ts';

const namespace = 'system';
const name = 'cloud-controller-manager';

interface Link {
  isCut: boolean;
  held: Promise<void>;
}

/** Requests wait, and reach the server only when they are released. */
function delayRequests(line: Link): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  line.held = promise;
  return resolve;
}

async function setUpElection() {
  const server = new TestServer({ resources: [...testResources, kindOf(Leases)], definitions: builtinDefinitions() });
  await server.namespace(namespace);
  const { clock } = server;
  const state: Link = { isCut: false, held: Promise.resolve() };
  const plain = server.transport;
  const cutOff: Transport = {
    request: async (request) => {
      if (state.isCut) throw new Error('cut off');
      await state.held;
      return plain.request(request);
    },
    close: () => plain.close(),
  };
  const contender = (identity: string, transport: Transport = plain) => {
    const client = new KubeClient(transport, { clock });
    const lease = new LeaderLease({
      client,
      namespace,
      name,
      identity,
      clock,
      monotonic: () => clock.now(),
      random: () => 0,
    });
    const stop = new AbortController();
    const seen = { isLeader: false, isLost: false };
    void lease.lost.then(() => {
      seen.isLost = true;
    });
    const run = () =>
      void lease.acquire(stop.signal).then(
        () => {
          seen.isLeader = true;
        },
        () => {},
      );
    return { lease, seen, run, stop };
  };
  const leases = new KubeClient(plain, { clock }).resource(Leases);
  return { clock, contender, cutOff, leases, state };
}

test('one process leads, and another takes over immediately after an orderly release', async () => {
  const { clock, contender, leases } = await setUpElection();
  const [a, b] = [contender('a'), contender('b')];
  a.run();
  await clock.advance(1);
  b.run();
  await clock.advance(60_000);
  expect([a.seen, b.seen]).toMatchObject([{ isLeader: true }, { isLeader: false }]);
  expect(a.lease.tenure()).toMatchObject({ isInherited: false });

  await a.lease.release();
  expect(a.lease.grant('x')).toBeUndefined();
  await clock.advance(2_500);

  expect(b.seen.isLeader).toBe(true);
  expect(b.lease.tenure()).toMatchObject({ isInherited: true });
  expect((await leases.get(name, { namespace })).spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  await b.lease.release();
});

test('a leader that cannot renew stops acting before another one starts', async () => {
  const { clock, contender, cutOff, state } = await setUpElection();
  const [a, b] = [contender('a', cutOff), contender('b')];
  a.run();
  await clock.advance(1);
  b.run();
  await clock.advance(30_000);
  const grant = a.lease.grant('x');
  expect(grant?.isValid()).toBe(true);

  state.isCut = true;
  let overlapMs = 0;
  let takenMs = 0;
  for (; takenMs < 30_000 && !b.seen.isLeader; takenMs += 100) {
    await clock.advance(100);
    if (grant?.isValid() && b.lease.stillOwns()) overlapMs += 100;
  }

  expect([overlapMs, grant?.isValid(), a.seen.isLost]).toEqual([0, false, true]);
  expect(takenMs).toBeGreaterThan(10_000);
  expect(takenMs).toBeLessThan(20_000);
  await b.lease.release();
});

test('a renewal that completes too late has no effect', async () => {
  const { clock, contender, cutOff, state } = await setUpElection();
  const a = contender('a', cutOff);
  a.run();
  await clock.advance(5_000);
  const release = delayRequests(state);
  await clock.advance(11_000);
  expect(a.lease.stillOwns()).toBe(false);

  release();
  await clock.advance(5_000);

  expect([a.lease.stillOwns(), a.seen.isLost]).toEqual([false, true]);
});

test('another program that keeps renewing the Lease retains it', async () => {
  const { clock, contender, leases } = await setUpElection();
  const spec = { holderIdentity: 'upstream_1', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' };
  let held = await leases.create({ metadata: { name, namespace }, spec });
  const a = contender('a');
  a.run();
  for (let second = 0; second < 60; second += 2) {
    await clock.advance(2_000);
    const renewTime = `2026-01-01T00:00:${String(second).padStart(2, '0')}.500000Z`;
    held = await leases.update({ ...held, spec: { ...spec, renewTime } });
  }
  expect(a.seen.isLeader).toBe(false);

  await clock.advance(20_000);

  expect(a.seen.isLeader).toBe(true);
  await a.lease.release();
});

test('a leader whose Lease has been taken or deleted stops acting', async () => {
  const { clock, contender, leases } = await setUpElection();
  const a = contender('a');
  a.run();
  await clock.advance(5_000);
  const held = await leases.get(name, { namespace });

  await leases.update({ ...held, spec: { ...held.spec, holderIdentity: 'thief' } });
  await clock.advance(5_000);

  expect([a.lease.stillOwns(), a.seen.isLost]).toEqual([false, true]);
  expect((await leases.get(name, { namespace })).spec?.holderIdentity).toBe('thief');
});
