import { expect, test } from 'vitest';
import { BlockedPods } from './blocked-pods.ts';

const SECOND_MS = 1_000;
const MACHINE = 'machine-1';

const pod = (uid: string) => ({ metadata: { name: uid, namespace: 'default', uid } });

/** An observation of a drain, and the pods that a budget blocks at that time. */
interface BlockedObservation {
  readonly atS: number;
  readonly blocked: readonly string[];
  readonly wasReported?: true;
}

test.each<{ reason: string; looks: readonly BlockedObservation[]; stuckPods: readonly string[] }>([
  { reason: 'the first observation reports nothing', looks: [{ atS: 2, blocked: ['a'] }], stuckPods: [] },
  {
    reason: 'another pod becomes ready within a minute',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 59, blocked: ['a'] },
    ],
    stuckPods: [],
  },
  {
    reason: 'a pod blocked for a minute is reported',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 60, blocked: ['a'] },
    ],
    stuckPods: ['a'],
  },
  {
    reason: 'each pod has its own minute, however long the drain takes',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 100, blocked: ['a', 'b'] },
    ],
    stuckPods: ['a'],
  },
  {
    reason: 'a pod that was released in the meantime starts again',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 50, blocked: [] },
      { atS: 70, blocked: ['a'] },
    ],
    stuckPods: [],
  },
  {
    reason: 'a pod reported before a restart is reported after it',
    looks: [{ atS: 0, blocked: ['a'], wasReported: true }],
    stuckPods: ['a'],
  },
  {
    reason: 'a report about one pod does not apply to the next',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 70, blocked: ['b'], wasReported: true },
    ],
    stuckPods: [],
  },
])('$reason', ({ looks, stuckPods }) => {
  const pods = new BlockedPods();

  const reported = looks.map(({ atS, blocked, wasReported = false }) =>
    pods.stuckPods(MACHINE, blocked.map(pod), { wasReported, nowMs: atS * SECOND_MS }),
  );

  expect(reported.at(-1)?.map(({ metadata }) => metadata.name)).toEqual(stuckPods);
});
