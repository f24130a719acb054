import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { UsageInterval, UsageRecord } from '@fairway/api/kinds/usage-record';
import { systemClock } from '@fairway/base/clock';
import { dataFrames } from '@fairway/cli/usage/data-frames';
import { PushLedger } from '@fairway/cli/usage/push/ledger';
import { HOUR_MS, type PushResult, pushUsage, SETTLE_DELAY_MS } from '@fairway/cli/usage/push/push';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { Cloud } from '@fairway/openstack/cloud';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { Rating } from '@fairway/openstack/rating/rating';
import { ratingService } from '@fairway/openstack/rating/service';
import { ServiceApi } from '@fairway/openstack/service-api';
import { TestApi } from '@fairway/service/backup/testing/test-api';
import { readCloudsYaml } from '@fairway/service/up/clouds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Entries of clouds.yaml: a user who may add data frames to a real CloudKitty, and one who may not. */
const { FAIRWAY_TEST_RATING_CLOUD: admin, FAIRWAY_TEST_RATING_STRANGER: otherUser } = process.env;
const why = admin === undefined ? ' (skipped: FAIRWAY_TEST_RATING_CLOUD names no CloudKitty)' : '';

/** Behaviour that CloudKitty's documentation leaves open. Each run has its own project. */
describe.skipIf(why !== '')(`a real CloudKitty${why}`, () => {
  const project = randomUUID().replaceAll('-', '');
  const endMs = Math.floor((systemClock.now() - SETTLE_DELAY_MS) / HOUR_MS) * HOUR_MS;
  const sinceMs = endMs - 3 * HOUR_MS;
  const clouds: Cloud[] = [];
  let api: TestApi;
  let rating: Rating;

  function open(entry: string): Rating {
    const cloud = new Cloud({
      config: readCloudsYaml().get(entry),
      clock: systemClock,
      random: Math.random,
      readFile: (path) => readFileSync(path, 'utf8'),
      services: [ratingService],
    });
    clouds.push(cloud);
    return new Rating(new ServiceApi(cloud.client().session, ratingService.type));
  }

  beforeAll(async () => {
    api = new TestApi();
    await api.create(Namespaces, { metadata: { name: 'fairway-system' }, spec: {} });
    rating = open(admin ?? '');
  });
  afterAll(async () => {
    for (const cloud of clouds) await cloud.close();
    await api?.close();
  });

  const at = (ms: number) => new Date(ms).toISOString().replace('.000', '');
  const aRecord = (...intervals: readonly UsageInterval[]): UsageRecord => ({
    metadata: { name: 'usage-u1', namespace: 'team' },
    spec: { clusterName: 'demo', clusterUID: 'u1', namespace: 'team' },
    status: { projectID: project, intervals: [...intervals] },
  });
  const aNode = (type: string): UsageInterval => ({ resource: 'Node', id: type, type, startTime: at(sinceMs) });
  const half: UsageInterval = { ...aNode('b3-16'), startTime: at(sinceMs + HOUR_MS / 2) };

  async function push(records: readonly UsageRecord[], target: string): Promise<PushResult> {
    const { signal } = new AbortController();
    const holder = randomUUID();
    const silentOutput = { onWait: () => {}, print: () => {} };
    const ledger = await PushLedger.claim({
      client: api.client,
      clock: systemClock,
      signal,
      target,
      holder,
      ...silentOutput,
    });
    const price = () => 0.05;
    const pushed = await pushUsage({
      records,
      rating,
      ledger,
      clock: systemClock,
      signal,
      price,
      sinceMs,
      ...silentOutput,
    });
    await ledger.release();
    return pushed;
  }

  /** Total hours of this run's project, by start time and flavor. */
  async function storedTotals(): Promise<Readonly<Record<string, number>>> {
    const sums: Record<string, number> = {};
    const filter = { begin: at(sinceMs), end: at(endMs + 1_000), metric: 'fairway.node' };
    for await (const { period, usage } of rating.dataFrames(filter)) {
      for (const { groupby, vol } of usage['fairway.node'] ?? []) {
        if (groupby['project_id'] !== project) continue;
        const key = `${(Date.parse(period.begin) - sinceMs) / HOUR_MS} ${String(groupby['resource_type'])}`;
        sums[key] = (sums[key] ?? 0) + Number(vol.qty);
      }
    }
    return sums;
  }

  test('accepts each hour once', async () => {
    const first = await push([aRecord(aNode('b3-8'), half)], 'one');
    const repeated = await push([aRecord(aNode('b3-8'), half)], 'one');

    expect(first).toEqual({ hours: 3, points: 6 });
    expect(repeated).toEqual({ hours: 0, points: 0 });
    expect(await storedTotals()).toEqual({
      '0 b3-8': 1,
      '0 b3-16': 0.5,
      '1 b3-8': 1,
      '1 b3-16': 1,
      '2 b3-8': 1,
      '2 b3-16': 1,
    });
  });

  test('returns stored data, so that a lost ledger causes no duplicates and late data is still sent', async () => {
    const later = await push([aRecord(aNode('b3-8'), half, aNode('g1, "gpu"'))], 'another');

    expect(later).toEqual({ hours: 3, points: 3 });
    expect(await storedTotals()).toMatchObject({ '0 b3-8': 1, '1 b3-16': 1, '2 g1, "gpu"': 1 });
  });

  test.skipIf(otherUser === undefined)('refuses other users (skipped: FAIRWAY_TEST_RATING_STRANGER)', async () => {
    const row = { fromMs: sinceMs, toMs: sinceMs + HOUR_MS, namespace: 'team', projectID: project, uncertain: 0 };
    const frames = dataFrames([
      { ...row, cluster: 'demo', clusterUID: 'u1', resource: 'Node', type: 'b3-8', amount: 3_600 },
    ]);
    const refusal = await open(otherUser ?? '')
      .addDataFrames(frames)
      .catch((error: unknown) => error);

    expect(isOpenStackError(refusal, 'forbidden')).toBe(true);
  });
});
