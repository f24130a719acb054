import { nodePools } from '@fairway/api/kinds/node-pool';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { LASTING_CAUSES, SwitchedFaults } from '../lasting-causes.ts';
import { SteppingClock } from '../stepping-clock.ts';
import { TestFairway } from '../test-fairway.ts';
import type { Cause, Steps } from './cause.ts';

const SEED = 4_242;

function stepsOf({ by }: Cause): Steps {
  if (typeof by !== 'string') return by;
  const lastingCause = LASTING_CAUSES.find(({ cause }) => cause === by);
  if (lastingCause === undefined) throw new Error(`there is no lasting cause ${by}`);
  const { begin, request, nodesJoin } = lastingCause;
  const isNew = lastingCause.from === 'nothing';
  return {
    from: isNew ? 'nothing' : 'a cluster',
    begin,
    ...(nodesJoin === false && { nodesJoin }),
    ...(!isNew && {
      request: request ?? ((fairway) => fairway.patch(nodePools, 'general', { spec: { replicas: 4 } })),
    }),
  };
}

/** A Fairway instance that reports the cause. */
export async function bringAbout(
  cause: Cause,
): Promise<
  AsyncDisposable & { readonly fairway: TestFairway; readonly clock: SteppingClock; readonly faults: SwitchedFaults }
> {
  const steps = stepsOf(cause);
  const clock = new SteppingClock();
  const faults = new SwitchedFaults();
  const joining = steps.nodesJoin === false ? { nodesJoin: false } : {};
  const cloud = steps.cloud === undefined ? {} : { cloud: steps.cloud };
  const random = seededRandom(SEED);
  const fairway = await TestFairway.start({ clock, random, ...faults.options, ...joining, ...cloud });
  const scenario = { fairway, clock, faults, [Symbol.asyncDispose]: () => fairway[Symbol.asyncDispose]() };
  try {
    if (steps.from === 'a cluster') {
      await clock.during(fairway.readyCluster({ replicas: 1 }));
      await clock.pass(20_000);
    }
    await steps.begin(fairway, faults);
    if (steps.request) await steps.request(fairway);
    else if (steps.from === 'nothing') {
      await fairway.createCluster();
      await fairway.createPool({ replicas: 1 });
    }
    if (steps.laterChange) {
      await clock.pass(20_000);
      await steps.laterChange(fairway);
    }
    await clock.pass(cause.afterMs ?? 20_000);
    return scenario;
  } catch (error) {
    await fairway[Symbol.asyncDispose]();
    throw error;
  }
}
