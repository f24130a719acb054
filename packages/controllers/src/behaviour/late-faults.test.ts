import { ConditionType } from '@fairway/api/conditions';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { findCondition } from '@fairway/kube/controller/conditions';
import { expect, test } from 'vitest';
import { SteppingClock } from '../testing/stepping-clock.ts';
import { TestFairway } from '../testing/test-fairway.ts';

test('a server whose fault appears only after its status is ERROR is classified by that fault', async () => {
  const clock = new SteppingClock();
  await using fairway = await TestFairway.start({ clock, random: seededRandom(10), nodesJoin: false });
  await fairway.createCluster();
  fairway.cloud.faults.add({ times: null, action: { kind: 'serverError', reportedAfterMs: 900 } });
  await fairway.createPool({ replicas: 1 });
  // Depending on when it is polled, it may first be seen without a fault.
  const earlyMessage = 'the server is ERROR';
  const messages = new Set<string | undefined>();

  for (let second = 0; second < 60; second++) {
    await clock.pass(1_000);
    const [machine] = await fairway.machines();
    const condition = findCondition(machine?.status?.conditions, ConditionType.ServerReady);
    if (condition?.reason === 'ServerFailed') messages.add(condition.message);
  }
  messages.delete(earlyMessage);

  expect([...messages]).toEqual([
    expect.stringMatching(/Build of instance aborted.*another one will be created after a delay/),
  ]);
});
