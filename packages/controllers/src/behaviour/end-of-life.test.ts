import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { aRelease } from '@fairway/api/testing/releases';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Events } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TEAM, TestFairway } from '../testing/test-fairway.ts';

/** Newer than all shipped releases. */
const MINOR = '1.50';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** A cluster of a minor version that ends in 31 days, and its successor. */
async function start() {
  const clock = new SteppingClock();
  /** Whether the process is killed before it can write a Cluster's status. */
  const faults = { losesStatus: false, lost: 0 };
  const fairway = await TestFairway.start({
    clock,
    random: seededRandom(7),
    apiFaults: ({ method, path }) => {
      if (!faults.losesStatus || method !== 'PATCH' || !path.includes('/clusters/demo/status')) return undefined;
      faults.lost += 1;
      return { kind: 'answer', status: 503 };
    },
  });
  const endMs = Date.parse(dayOf(clock.now() + 31 * DAY_MS));
  const date = dayOf(endMs);
  await fairway.create(kubernetesReleases, aRelease(MINOR, { endOfLife: date }));
  await fairway.create(kubernetesReleases, aRelease('1.51'));
  await clock.during(fairway.createCluster({ version: MINOR }));
  await clock.pass(HOUR_MS / 2);
  const cluster = async () => fairway.client.resource(clusters).get('demo', { namespace: TEAM });
  const supported = async () => findCondition((await cluster()).status?.conditions, 'VersionSupported');
  const reported = async () =>
    (await fairway.client.resource(Events).list({ namespace: TEAM })).items
      .filter(({ reason = '' }) => reason.startsWith('Version'))
      .sort((a, b) => ((a.firstTimestamp ?? '') < (b.firstTimestamp ?? '') ? -1 : 1))
      .map(({ reason, message, count }) => `${count}: ${reason}: ${message}`);
  /** Fairway is not running during this time. */
  const stopUntil = async (timeMs: number) => {
    await clock.during(fairway.stopProcess());
    await clock.pass(timeMs - clock.now());
    await clock.during(fairway.startProcess());
  };
  const patchCluster = (spec: object) =>
    fairway.client.resource(kubernetesReleases).patch(MINOR, { type: 'merge', value: { spec } });
  return {
    clock,
    faults,
    fairway,
    endMs,
    date,
    cluster,
    supported,
    reportedText: reported,
    stopUntil,
    move: patchCluster,
  };
}

const END_OF_LIFE_MESSAGE = (days: string, date: string) =>
  `1: VersionEndsSoon: Kubernetes 1.50 reaches its end of life within ${days}, on ${date}, and gets no fixes after that: set spec.version to 1.51`;

describe('the end of a minor version', () => {
  test('is reported 30, 7 and 1 days before and on the day, once each, across restarts and lost writes', async () => {
    const { clock, faults, fairway, endMs, date, cluster, supported, reportedText, stopUntil } = await start();
    await using _ = fairway;
    expect(await supported()).toBeUndefined();

    for (const days of [30, 7, 1, 0]) {
      await stopUntil(endMs - days * DAY_MS - 2 * 60_000);
      faults.losesStatus = true;
      // Between two checks of the cluster.
      await clock.pass(3 * 60_000);
      await clock.during(fairway.stopProcess());
      await clock.during(fairway.startProcess());
      await clock.pass(3 * 60_000);
      faults.losesStatus = false;
      expect(faults.lost).toBeGreaterThan(1);
      faults.lost = 0;
      await clock.pass(HOUR_MS);
      const { resourceVersion } = (await cluster()).metadata;
      await clock.pass(3 * HOUR_MS);

      expect((await cluster()).metadata.resourceVersion).toBe(resourceVersion);
      expect((await cluster()).status?.endOfLife).toMatchObject({ minor: MINOR, date, notice: days });
    }

    expect(await reportedText()).toEqual([
      END_OF_LIFE_MESSAGE('30 days', date),
      END_OF_LIFE_MESSAGE('7 days', date),
      END_OF_LIFE_MESSAGE('1 day', date),
      `1: VersionEndOfLife: Kubernetes 1.50 has reached its end of life on ${date} and gets no further fixes: set spec.version to 1.51`,
    ]);
    expect(await supported()).toMatchObject({ status: 'False', reason: 'VersionEndOfLife' });
  });

  test('follows the date if the operator moves it, and is no longer reported after an upgrade', async () => {
    const { clock, fairway, endMs, date, supported, reportedText, stopUntil, move } = await start();
    await using _ = fairway;
    await stopUntil(endMs - 20 * DAY_MS);
    await clock.pass(60_000);
    const earlier = dayOf(endMs - 14 * DAY_MS);
    await move({ endOfLife: earlier });
    await clock.pass(60_000);
    expect((await supported())?.message).toContain(`within 7 days, on ${earlier}`);
    await move({ endOfLife: dayOf(endMs + 300 * DAY_MS) });
    await clock.pass(60_000);
    expect(await supported()).toBeUndefined();
    await move({ phaseOverride: 'EndOfLife' });
    await clock.pass(60_000);
    expect((await supported())?.reason).toBe('VersionEndOfLife');

    const running = async (minor: string) =>
      (await fairway.client.resource(kubernetesReleases).get(minor)).status?.clusters;
    expect(await running(MINOR)).toBe(1);

    await fairway.patch(clusters, 'demo', { spec: { version: '1.51' } });
    await clock.pass(HOUR_MS);

    expect(await supported()).toBeUndefined();
    expect([await running(MINOR), await running('1.51')]).toEqual([0, 1]);
    expect(await reportedText()).toEqual([
      END_OF_LIFE_MESSAGE('30 days', date),
      END_OF_LIFE_MESSAGE('7 days', earlier),
      `1: VersionSupported: Kubernetes 1.50 does not reach its end of life on ${earlier}: the operator has extended its support`,
      '1: VersionEndOfLife: Kubernetes 1.50 has reached its end of life and gets no further fixes: set spec.version to 1.51',
    ]);
  });
});
