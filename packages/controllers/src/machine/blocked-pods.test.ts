import { expect, test } from 'vitest';
import { BlockedPods } from './blocked-pods.ts';

const SECOND_MS = 1_000;
const MACHINE = 'machine-1';

const pod = (uid: string) => ({ metadata: { name: uid, namespace: 'default', uid } });

/** A look at a drain: which pods a budget keeps then. */
interface Look {
  readonly atS: number;
  readonly blocked: readonly string[];
  readonly wasTold?: true;
}

test.each<{ reason: string; looks: readonly Look[]; stuck: readonly string[] }>([
  { reason: 'the first answer says nothing', looks: [{ atS: 2, blocked: ['a'] }], stuck: [] },
  {
    reason: 'another pod becomes ready within a minute',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 59, blocked: ['a'] },
    ],
    stuck: [],
  },
  {
    reason: 'a minute is not ordinary',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 60, blocked: ['a'] },
    ],
    stuck: ['a'],
  },
  {
    reason: 'each pod has its own minute, however long the drain takes',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 100, blocked: ['a', 'b'] },
    ],
    stuck: ['a'],
  },
  {
    reason: 'one that was let go meanwhile waits anew',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 50, blocked: [] },
      { atS: 70, blocked: ['a'] },
    ],
    stuck: [],
  },
  {
    reason: 'what was told before a restart is told after it',
    looks: [{ atS: 0, blocked: ['a'], wasTold: true }],
    stuck: ['a'],
  },
  {
    reason: 'what was told of one pod is not told of the next',
    looks: [
      { atS: 0, blocked: ['a'] },
      { atS: 70, blocked: ['b'], wasTold: true },
    ],
    stuck: [],
  },
])('$reason', ({ looks, stuck }) => {
  const pods = new BlockedPods();

  const told = looks.map(({ atS, blocked, wasTold = false }) =>
    pods.stuck(MACHINE, blocked.map(pod), { wasTold, nowMs: atS * SECOND_MS }),
  );

  expect(told.at(-1)?.map(({ metadata }) => metadata.name)).toEqual(stuck);
});
