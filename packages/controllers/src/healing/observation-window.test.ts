import { aCluster } from '@fairway/api/testing/objects';
import { formatTime } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { expect, test } from 'vitest';
import { ObservationWindow } from './observation-window.ts';

const POOL = 'team/general';
const MINUTE_MS = 60_000;

function start() {
  const clock = new FakeClock();
  const beganMs = clock.now();
  const condition = (status: 'True' | 'False', sinceMs: number) => ({
    ...aCluster({}, { uid: 'uid-1' }),
    status: {
      conditions: [
        {
          type: 'ControlPlaneReady',
          status,
          reason: 'AsExpected',
          message: '',
          lastTransitionTime: formatTime(sinceMs),
        },
      ],
    },
  });
  const tenant = { clusterUid: 'uid-1', nodes: { healthySinceMs: beganMs as number | undefined } };
  const trust = new ObservationWindow(clock);
  const cluster = condition('True', beganMs - 60 * MINUTE_MS);
  return { clock, beganMs, tenant, trust, cluster, condition, see: () => trust.sinceMs(POOL, cluster, tenant) };
}

test('ObservationWindow trusts observations of nodes only from when it started to watch them', async () => {
  const { clock, beganMs, see } = start();
  await clock.advance(30 * MINUTE_MS);

  expect(see()).toBe(beganMs);
});

test('ObservationWindow trusts no observations without a connection, with a failing watch, or while the control plane is down', () => {
  const { trust, cluster, tenant, condition, beganMs } = start();

  expect(trust.sinceMs(POOL, cluster, undefined)).toBeUndefined();
  expect(trust.sinceMs(POOL, condition('False', beganMs), tenant)).toBeUndefined();
  expect(trust.sinceMs(POOL, cluster, { ...tenant, nodes: { healthySinceMs: undefined } })).toBeUndefined();
});

test('ObservationWindow restarts after a gap in the watch, and after the control plane starts', async () => {
  const { clock, beganMs, tenant, trust, condition, see } = start();
  see();
  await clock.advance(5 * MINUTE_MS);
  tenant.nodes.healthySinceMs = beganMs + 4 * MINUTE_MS;
  const viewAfterGap = see();
  const restartedMs = beganMs + 5 * MINUTE_MS;

  expect(viewAfterGap).toBe(beganMs + 4 * MINUTE_MS);
  expect(trust.sinceMs(POOL, condition('True', restartedMs), tenant)).toBe(restartedMs);
});

test('ObservationWindow restarts if the process was stopped while a node was unhealthy, which makes its check late', async () => {
  const { clock, trust, see, beganMs } = start();
  see();
  trust.expectPass(POOL, clock.now() + 30_000);
  await clock.advance(60_000);
  const sinceBeforeStop = see();
  trust.expectPass(POOL, clock.now() + 30_000);
  await clock.advance(60 * MINUTE_MS);

  expect(sinceBeforeStop).toBe(beganMs);
  expect(see()).toBe(clock.now());
});

test('ObservationWindow restarts if the cluster did not respond, even with an open watch', async () => {
  const { clock, trust, see } = start();
  see();
  await clock.advance(MINUTE_MS);
  trust.restart(POOL);

  expect(see()).toBe(clock.now());
});

test('ObservationWindow continues if no check was due for hours', async () => {
  const { clock, trust, see, beganMs } = start();
  see();
  trust.expectPass(POOL, undefined);
  await clock.advance(600 * MINUTE_MS);

  expect(see()).toBe(beganMs);
});
