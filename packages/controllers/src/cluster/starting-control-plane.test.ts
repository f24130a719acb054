import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type ControlPlaneFacts, NO_CONTROL_PLANE } from './control-plane.ts';
import { StartingControlPlane } from './starting-control-plane.ts';

/** A runtime that says nothing but that a control plane has changed. */
class Changes {
  readonly listeners = new Set<(clusterUid: string) => void>();

  onChange(listener: (clusterUid: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(): void {
    for (const listener of this.listeners) listener('uid');
  }
}

const STARTING: ControlPlaneFacts = NO_CONTROL_PLANE;
const CONNECTED: ControlPlaneFacts = { ...NO_CONTROL_PLANE, isConnected: true };
const NEVER = new Promise<void>(() => {});

it('what fails while the cloud is waited for fails the pass, and not the process', async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', onUnhandled);
  onTestFinished(() => void process.off('unhandledRejection', onUnhandled));
  await using starting = new StartingControlPlane(new Changes(), 'uid', () => Promise.reject(new Error('conflict')));

  await turn();
  await turn();

  expect(unhandled).toEqual([]);
  await expect(starting.latest).rejects.toThrow('conflict');
});

it('a pass ends when nothing of it is under way any more', async () => {
  const changes = new Changes();
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
  resolve(STARTING);
  await pass;
  expect(changes.listeners.size).toBe(0);
});

it('a change that comes while the one before is told is told too', async () => {
  const changes = new Changes();
  const answers = [STARTING, STARTING, CONNECTED];
  const told: boolean[] = [];
  await using starting = new StartingControlPlane(changes, 'uid', () => Promise.resolve(answers.shift() ?? CONNECTED));

  await starting.follow(NEVER, async ({ isConnected }) => {
    told.push(isConnected);
    changes.tell();
    await turn();
  });

  expect(told).toEqual([false, false, true]);
});

it('nothing is told once the cloud has what it needs', async () => {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const changes = new Changes();
  const told: boolean[] = [];
  await using starting = new StartingControlPlane(changes, 'uid', () => Promise.resolve(STARTING));
  const following = starting.follow(done, async ({ isConnected }) => void told.push(isConnected));
  await turn();

  resolve();
  await following;
  changes.tell();
  await turn();

  expect(told).toEqual([false]);
});
