import type { UsageInterval, UsageRecord } from '@fairway/api/kinds/usage-record';
import type { Clock } from '@fairway/base/clock';
import { FakeClock } from '@fairway/base/clock-fake';
import { advanceUntilSettled } from '@fairway/base/testing/advance-until-settled';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { ConfigMaps, Namespaces } from '@fairway/kube/kinds/resources';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { FrameFilter, Rating } from '@fairway/openstack/rating/rating';
import type { DataFrame, RatedFrame } from '@fairway/openstack/types/rating';
import { KilledError, TestApi } from '@fairway/service/backup/testing/test-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PushLedger } from './ledger.ts';
import { HOUR_MS, pushUsage, SETTLE_DELAY_MS } from './push.ts';

const NOON = Date.parse('2026-11-26T12:00:00Z');

type Point = DataFrame['usage'][string][number] & { readonly metric: string; readonly begin: string };

/** How a call that adds points can fail: all or some points are stored, and no response arrives. */
type Fault = 'refused' | 'lost' | 'half' | 'taken';

/** Stores each point that it receives, as OpenSearch does; duplicates count twice. */
class CountingStorage implements Pick<Rating, 'dataFrames' | 'addDataFrames'> {
  readonly points: Point[] = [];
  readonly faults: Fault[] = [];
  adds = 0;

  async *dataFrames({ begin, end, metric }: FrameFilter): AsyncGenerator<RatedFrame> {
    for (const point of this.points.filter((each) => each.metric === metric && each.begin === begin)) {
      // CloudKitty formats its time zone like this.
      yield { period: { begin: begin.replace('Z', '+00:00'), end }, usage: { [metric]: [point] } };
    }
  }

  addDataFrames(frames: readonly DataFrame[]): Promise<void> {
    this.adds += 1;
    const fault = this.faults.shift();
    const points = frames.flatMap(({ period, usage }) =>
      Object.entries(usage).flatMap(([metric, some]) =>
        some.map((point) => ({ ...point, metric, begin: period.begin })),
      ),
    );
    if (fault === 'half') this.points.push(points[0] as Point);
    if (fault === undefined || fault === 'taken') this.points.push(...points);
    return fault === undefined ? Promise.resolve() : Promise.reject(failure(fault));
  }

  /** Total amounts of all points, by start time and resource type. */
  get amounts(): Readonly<Record<string, number>> {
    const sums: Record<string, number> = {};
    for (const { begin, groupby, vol } of this.points) {
      const key = `${begin.slice(11, 16)} ${groupby['resource_type']}`;
      sums[key] = (sums[key] ?? 0) + Number(vol.qty);
    }
    return sums;
  }
}

function failure(fault: Fault): OpenStackError {
  const call = { service: 'rating', method: 'POST', template: '/dataframes', message: fault } as const;
  return fault === 'refused'
    ? new OpenStackError({ ...call, kind: 'forbidden', status: 403, outcome: 'notDone' })
    : new OpenStackError({ ...call, kind: 'timeout', outcome: 'unknown' });
}

function newRecord(intervals: readonly UsageInterval[], projectID: string | null = 'p1'): UsageRecord {
  return {
    metadata: { name: 'usage-u1', namespace: 'team' },
    spec: { clusterName: 'demo', clusterUID: 'u1', namespace: 'team' },
    status: { ...(projectID !== null && { projectID }), intervals: [...intervals] },
  };
}

const aNode = (more: Partial<UsageInterval> = {}): UsageInterval => ({
  resource: 'Node',
  id: 'server',
  type: 'b3-8',
  startTime: '2026-11-26T09:30:00Z',
  ...more,
});
const CONTROL_PLANE: UsageInterval = {
  resource: 'ControlPlane',
  id: 'u1',
  type: 'small',
  startTime: '2026-11-26T10:15:00Z',
};

describe('pushing usage', () => {
  let api: TestApi;
  let clock: FakeClock;
  let storage: CountingStorage;
  let reported: string[];
  let runs = 0;

  /** Includes the namespace that `fairway` creates. */
  async function newApi(): Promise<TestApi> {
    const testApi = new TestApi();
    await testApi.create(Namespaces, { metadata: { name: 'fairway-system' }, spec: {} });
    return testApi;
  }

  beforeEach(async () => {
    api = await newApi();
    clock = new FakeClock(NOON + SETTLE_DELAY_MS);
    storage = new CountingStorage();
    reported = [];
  });
  afterEach(() => api.close());

  const settled = <T>(work: Promise<T>): Promise<T> => advanceUntilSettled(clock, work);

  async function writeNext(next: string): Promise<void> {
    const configMaps = api.client.resource(ConfigMaps);
    const { items } = await configMaps.list({ namespace: 'fairway-system' });
    const [ledger] = items.filter(({ metadata }) => metadata.name?.startsWith('usage-pushed-to-'));
    if (ledger === undefined) throw new Error('there is no ledger');
    await configMaps.update({ ...ledger, data: { ...ledger.data, next } });
  }

  interface Run {
    readonly client?: KubeClient;
    readonly sinceMs?: number;
    readonly price?: () => number;
  }

  /** A run that releases the ledger if it succeeds. */
  function push(records: readonly UsageRecord[], { client = api.client, sinceMs, price = () => 0 }: Run = {}) {
    const { signal } = new AbortController();
    const run = async () => {
      const holder = `run-${++runs}`;
      const onWait = () => reported.push('waits');
      const ledger = await PushLedger.claim({ client, clock, signal, target: 'cloud', holder, onWait });
      const print = (text: string) => reported.push(text);
      const pushed = await pushUsage({ records, rating: storage, ledger, clock, signal, price, sinceMs, print });
      await ledger.release();
      return pushed;
    };
    return settled(run());
  }

  it('sends one hour at a time, 15 minutes after it ends', async () => {
    await push([newRecord([aNode(), CONTROL_PLANE])], { sinceMs: NOON - 3 * HOUR_MS });
    const atNoon = storage.amounts;
    await clock.advance(HOUR_MS - 60_000);
    await push([newRecord([aNode(), CONTROL_PLANE])]);
    const beforeOne = storage.amounts;
    await clock.advance(60_000);
    const last = await push([newRecord([aNode(), CONTROL_PLANE])]);

    expect(atNoon).toEqual({
      '09:00 b3-8': 0.5,
      '10:00 b3-8': 1,
      '11:00 b3-8': 1,
      '10:00 small': 0.75,
      '11:00 small': 1,
    });
    expect(beforeOne).toEqual(atNoon);
    expect(last).toEqual({ hours: 1, points: 2 });
    expect(storage.amounts).toEqual({ ...atNoon, '12:00 b3-8': 1, '12:00 small': 1 });
  });

  it('starts at the last hour, unless a different hour is specified', async () => {
    await push([newRecord([aNode()])]);

    expect(storage.amounts).toEqual({ '11:00 b3-8': 1 });
  });

  it('starts at the first use or three days ago, no matter how early the requested start is', async () => {
    const records = [newRecord([aNode()])];
    const pushed = await push(records, { sinceMs: Date.parse('2000-01-01T00:00:00Z') });

    expect(pushed).toEqual({ hours: 72, points: 3 });
  });

  it('sends usage that is discovered later, even if no usage was known before', async () => {
    await push([]);
    await push([newRecord([aNode()])]);

    expect(storage.amounts).toEqual({ '11:00 b3-8': 1 });
  });

  it.each(['2026-11-26T10:30:00Z', 'yesterday', ''])(
    'refuses the start "%s" that somebody wrote into the ledger',
    async (next) => {
      await push([newRecord([aNode()])]);
      await writeNext(next);

      await expect(push([newRecord([aNode()])])).rejects.toThrow(`next: "${next}" is not the start of a UTC hour`);
      expect(storage.adds).toBe(1);
    },
  );

  it('reports a ledger that is in the future, since no hour would be sent until then', async () => {
    await push([newRecord([aNode()])]);
    await writeNext('2027-11-26T12:00:00Z');

    await expect(push([newRecord([aNode()])])).rejects.toThrow(
      'up to 2027-11-26T12:00:00Z, which is in the future, are recorded as sent',
    );
  });

  it('tolerates a machine whose clock is slightly behind', async () => {
    await push([newRecord([aNode()])]);
    clock = new FakeClock(NOON + SETTLE_DELAY_MS - 1_000);

    expect(await push([newRecord([aNode()])])).toEqual({ hours: 0, points: 0 });
  });

  it('includes the price, which CloudKitty would not look up itself', async () => {
    await push([newRecord([aNode()])], { sinceMs: NOON - 3 * HOUR_MS, price: () => 0.05 });

    expect(storage.points.map(({ rating }) => rating.price)).toEqual(['0.025000', '0.050000', '0.050000']);
  });

  it('makes no call if there is nothing new', async () => {
    await push([newRecord([aNode()])]);
    await push([newRecord([aNode()])]);

    expect(storage.adds).toBe(1);
  });

  it('waits until the project is known', async () => {
    await push([newRecord([aNode()], null)]);
    const unknown = storage.points.length;
    await push([newRecord([aNode()])]);

    expect(unknown).toBe(0);
    expect(storage.amounts).toEqual({ '11:00 b3-8': 1 });
  });

  it('sends late usage, and reports changed amounts once', async () => {
    await push([newRecord([aNode()])]);
    const later = [newRecord([aNode({ endTime: '2026-11-26T11:30:00Z' }), CONTROL_PLANE])];
    await push(later);
    await push(later);

    expect(storage.amounts).toEqual({ '11:00 b3-8': 1, '11:00 small': 1 });
    expect(reported).toEqual([
      expect.stringContaining('team/demo (project p1): CloudKitty has 1.000000 h, the records have 0.500000'),
    ]);
  });

  it.each(['lost', 'half', 'taken'] as const)(
    'sends each point once even if a response is lost (%s)',
    async (fault) => {
      storage.faults.push(fault);

      await push([newRecord([aNode(), CONTROL_PLANE])]);

      expect(storage.amounts).toEqual({ '11:00 b3-8': 1, '11:00 small': 1 });
    },
  );

  it('gives up on a CloudKitty that does not respond', async () => {
    storage.faults.push('lost', 'lost', 'lost');

    await expect(push([newRecord([aNode()])])).rejects.toThrow('timeout');
    expect(storage.adds).toBe(3);
  });

  it('allows only one run at a time', async () => {
    const records = [newRecord([aNode(), CONTROL_PLANE])];
    const [first, second] = await Promise.allSettled([push(records), push(records)]);

    expect([first.status, second.status].toSorted()).toContain('fulfilled');
    expect(storage.amounts).toEqual({ '11:00 b3-8': 1, '11:00 small': 1 });
  });

  describe.each(['before', 'after'] as const)('sends each point once even if it is killed %s', (when) => {
    it.each([1, 2, 3, 4, 5])('write %i of the ledger', async (count) => {
      const records = [newRecord([aNode(), CONTROL_PLANE])];
      const sinceMs = NOON - 3 * HOUR_MS;
      await expect(push(records, { sinceMs, client: api.killableClient(count, when) })).rejects.toThrow(KilledError);

      await push(records, { sinceMs });

      expect(storage.amounts).toEqual({
        '09:00 b3-8': 0.5,
        '10:00 b3-8': 1,
        '10:00 small': 0.75,
        '11:00 b3-8': 1,
        '11:00 small': 1,
      });
    });
  });

  it('continues after a killed run once its points are visible', async () => {
    const client = api.killableClient(2, 'before');
    await expect(push([newRecord([aNode()])], { client })).rejects.toThrow(KilledError);
    const killedMs = clock.now();

    await push([newRecord([aNode()])]);

    expect(reported).toEqual(['waits']);
    expect(clock.now() - killedMs).toBeGreaterThanOrEqual(180_000);
  });

  it('does not start earlier if the clock is changed', async () => {
    const client = api.killableClient(2, 'before');
    await expect(push([newRecord([aNode()])], { client })).rejects.toThrow(KilledError);
    const killedMs = clock.now();
    let clockOffsetMs = 0;
    const onWait = () => {
      clockOffsetMs = HOUR_MS;
    };
    const wallClock: Clock = {
      now: () => clock.now() + clockOffsetMs,
      after: (delayMs, callback) => clock.after(delayMs, callback),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    };
    const { signal } = new AbortController();

    await settled(
      PushLedger.claim({ client: api.client, clock: wallClock, signal, target: 'cloud', holder: 'b', onWait }),
    );

    expect(clock.now() - killedMs).toBeGreaterThanOrEqual(180_000);
  });

  it('rebuilds a lost ledger from CloudKitty', async () => {
    const sinceMs = NOON - 3 * HOUR_MS;
    await push([newRecord([aNode()])], { sinceMs });
    await api.close();
    api = await newApi();
    await push([newRecord([aNode(), CONTROL_PLANE])], { sinceMs });

    expect(storage.amounts).toMatchObject({ '09:00 b3-8': 0.5, '11:00 b3-8': 1, '11:00 small': 1 });
  });
});
