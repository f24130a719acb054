import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type ControlPlaneFacts, NO_CONTROL_PLANE } from './control-plane.ts';
import { StartingControlPlane } from './starting-control-plane.ts';

/** A runtime that only reports that a control plane has changed. */
class ChangeFeed {
  readonly listeners = new Set<(clusterUid: string) => void>();

  onChange(listener: (clusterUid: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  report(): void {
    for (const listener of this.listeners) listener('uid');
  }
}

const STARTING_STATE: ControlPlaneFacts = NO_CONTROL_PLANE;
const CONNECTED_STATE: ControlPlaneFacts = { ...NO_CONTROL_PLANE, isConnected: true };
const NEVER_RESOLVED = new Promise<void>(() => {});

it('a failure while waiting for the cloud fails only the pass, not the process', async () => {
  const unhandledErrors: unknown[] = [];
  const onUnhandledRejection = (error: unknown) => unhandledErrors.push(error);
  process.on('unhandledRejection', onUnhandledRejection);
  onTestFinished(() => void process.off('unhandledRejection', onUnhandledRejection));
  await using starting = new StartingControlPlane(new ChangeFeed(), 'uid', () => Promise.reject(new Error('conflict')));

  await turn();
  await turn();

  expect(unhandledErrors).toEqual([]);
  await expect(starting.latest).rejects.toThrow('conflict');
});

it('a pass ends only when nothing is in progress', async () => {
  const changes = new ChangeFeed();
  const { promise, resolve } = Promise.withResolvers<ControlPlaneFacts>();
  let hasEnded = false;
  const pass = (async () => {
    await using _starting = new StartingControlPlane(changes, 'uid', () => promise);
    throw new Error('the network');
  })()
    .catch(() => undefined)
    .then(() => {
      hasEnded = true;
    });

  await turn();
  expect(hasEnded).toBe(false);
  resolve(STARTING_STATE);
  await pass;
  expect(changes.listeners.size).toBe(0);
});

it('a change that happens during a report is also reported', async () => {
  const changes = new ChangeFeed();
  const responses = [STARTING_STATE, STARTING_STATE, CONNECTED_STATE];
  const reportedStates: boolean[] = [];
  await using starting = new StartingControlPlane(changes, 'uid', () =>
    Promise.resolve(responses.shift() ?? CONNECTED_STATE),
  );

  await starting.follow(NEVER_RESOLVED, async ({ isConnected }) => {
    reportedStates.push(isConnected);
    changes.report();
    await turn();
  });

  expect(reportedStates).toEqual([false, false, true]);
});

it('nothing is reported once the wait for the cloud is over', async () => {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const changes = new ChangeFeed();
  const reportedStates: boolean[] = [];
  await using starting = new StartingControlPlane(changes, 'uid', () => Promise.resolve(STARTING_STATE));
  const followed = starting.follow(done, async ({ isConnected }) => void reportedStates.push(isConnected));
  await turn();

  resolve();
  await followed;
  changes.report();
  await turn();

  expect(reportedStates).toEqual([false]);
});
