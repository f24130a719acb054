import { COPIED_LIMITS_ANNOTATION } from '@fairway/api/group';
import { type Plan, plans } from '@fairway/api/kinds/plan';
import { aPlan } from '@fairway/api/testing/objects';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { Crash } from '../testing/crash.ts';
import {
  changePlan,
  createPlan,
  isPlanReady,
  LIMITS,
  limitsOf,
  NO_LIMITS,
  planWhen,
  readyCondition,
} from '../testing/shared-limits.ts';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway } from '../testing/test-fairway.ts';

const HOUR_MS = 3_600_000;

/** Plans on a clock that the test controls, and the number of writes of plans and their statuses since the last call. */
async function startCounting() {
  const clock = new SteppingClock();
  let writes: string[] = [];
  const fairway = await TestFairway.start({
    clock,
    apiFaults: ({ method, path }) => {
      if (method !== 'GET' && path.includes('/plans')) writes.push(`${method} ${path.split('?')[0]}`);
      return undefined;
    },
  });
  const takeWrites = () => {
    const taken = writes;
    writes = [];
    return taken;
  };
  return { clock, fairway, takeWrites };
}

describe('writes', () => {
  const path = (name: string) => `/apis/fairway.dev/v1alpha1/plans/${name}`;

  test('stop when everything is copied, and a change of the base costs one of each plan', async () => {
    const { clock, fairway, takeWrites } = await startCounting();
    await using _ = fairway;
    await createPlan(fairway, 'base', LIMITS);
    await createPlan(fairway, 'gold', { limitsFrom: 'base' });
    await clock.during(planWhen(fairway, 'gold', isPlanReady));
    await clock.pass(HOUR_MS);
    takeWrites();

    await clock.pass(HOUR_MS);
    expect(takeWrites()).toEqual([]);

    await changePlan(fairway, 'base', { kubernetes: { newest: '1.34' } });
    await clock.pass(HOUR_MS);
    expect(takeWrites().sort()).toEqual(
      [path('base'), path('gold')]
        .flatMap((each) => [`PATCH ${each}/status`])
        .concat(`PATCH ${path('gold')}`)
        .sort(),
    );
  });

  test('do not follow a manifest without the copied fields that is applied every minute', async () => {
    const { clock, fairway, takeWrites } = await startCounting();
    await using _ = fairway;
    const manifest: KubeObject & { spec: object } = {
      apiVersion: 'fairway.dev/v1alpha1',
      kind: plans.kind,
      metadata: { name: 'gold' },
      spec: {
        ...aPlan({ ...NO_LIMITS, limitsFrom: 'base' }).spec,
        cni: { default: 'canal' },
        kubeProxy: { default: 'iptables' },
      },
    };
    const apply = () => fairway.client.resource(plans).apply(manifest as Plan, { fieldManager: 'gitops' });
    await createPlan(fairway, 'base', LIMITS);
    await apply();
    await clock.during(planWhen(fairway, 'gold', isPlanReady));
    await clock.pass(HOUR_MS);
    takeWrites();

    for (let minute = 0; minute < 60; minute++) {
      await apply();
      await clock.pass(60_000);
    }

    expect(takeWrites()).toEqual([]);
    const gold = await clock.during(planWhen(fairway, 'gold', isPlanReady));
    expect(limitsOf(gold)).toEqual(LIMITS);
  });

  test('are few while the base is missing', async () => {
    const { clock, fairway, takeWrites } = await startCounting();
    await using _ = fairway;
    await createPlan(fairway, 'gold', { limitsFrom: 'base' });
    await clock.during(planWhen(fairway, 'gold', (plan) => readyCondition(plan)?.status === 'False'));
    takeWrites();

    await clock.pass(HOUR_MS);

    expect(takeWrites()).toEqual([]);
  });

  test('are retried with backoff if the API server refuses them, and the plan reports the error', async () => {
    const clock = new SteppingClock();
    let attempts = 0;
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      message: 'no',
      code: 403,
    };
    await using fairway = await TestFairway.start({
      clock,
      apiFaults({ method, path: requestPath }) {
        if (method === 'GET' || !requestPath.includes('/plans/gold?')) return undefined;
        if (!requestPath.includes('fairway-plan-limits')) return undefined;
        attempts++;
        return { kind: 'answer', status: 403, body: JSON.stringify(status) };
      },
    });
    await createPlan(fairway, 'base', LIMITS);
    await createPlan(fairway, 'gold', { limitsFrom: 'base' });
    const gold = await clock.during(planWhen(fairway, 'gold', (plan) => readyCondition(plan)?.status === 'False'));
    await clock.pass(HOUR_MS);

    expect(readyCondition(gold)?.message).toContain('no');
    // At most one every five minutes, after the first few.
    expect(attempts).toBeGreaterThan(5);
    expect(attempts).toBeLessThan(30);
  });
});

test.each([1, 2, 3, 4, 5])('a process that is killed after write %i leaves nothing half copied', async (count) => {
  const crash = new Crash(/\/plans/);
  await using fairway = await TestFairway.start(crash.options);
  await createPlan(fairway, 'base', LIMITS);
  const dead = Promise.withResolvers<void>();
  await planWhen(fairway, 'base', isPlanReady);
  crash.afterWrites(count, dead.resolve);
  await createPlan(fairway, 'gold', { limitsFrom: 'base' });
  await createPlan(fairway, 'silver', { limitsFrom: 'base' });
  await dead.promise;
  const stored = await fairway.client.resource(plans).list();
  await fairway.stopProcess();
  crash.end();

  for (const name of ['gold', 'silver']) {
    const { metadata, spec } = stored.items.find((plan) => plan.metadata.name === name) as Plan;
    const isMarked = metadata.annotations?.[COPIED_LIMITS_ANNOTATION] !== undefined;
    expect(spec.kubernetes, 'the record and the limits are written together').toEqual(
      isMarked ? LIMITS.kubernetes : undefined,
    );
  }
  await fairway.startProcess();
  for (const name of ['gold', 'silver']) {
    expect(limitsOf(await planWhen(fairway, name, isPlanReady))).toEqual(LIMITS);
  }
});
