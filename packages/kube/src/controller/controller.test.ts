import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@fairway/base/clock-fake';
import { FencedError, fenceFor } from '@fairway/base/fence';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, test } from 'vitest';
import type { Informer } from '../client/informer.ts';
import { tooManyRequests } from '../object/api-error.ts';
import type { KubeObject, ObjectMeta } from '../object/meta.ts';
import { Controller, type ControllerOptions } from './controller.ts';
import { ControllerMetrics } from './metrics.ts';
import type { Result } from './result.ts';
import { TerminalError } from './terminal-error.ts';

const stops: AbortController[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort();
});

function run(
  reconcile: (key: string, signal: AbortSignal) => Promise<Result>,
  options: Partial<ControllerOptions> = {},
) {
  const clock = new FakeClock();
  const runs: string[] = [];
  const controller = new Controller({
    name: 'widgets',
    clock,
    random: () => 1,
    reconcile: (key, { signal }) => {
      runs.push(key);
      return reconcile(key, signal);
    },
    ...options,
  });
  const stop = new AbortController();
  stops.push(stop);
  return { clock, controller, runs, stop };
}

/** Creates an owner of `keys`; a key is owned as long as it is in `mine`. */
function ownerOf(keys: readonly string[]) {
  const mine = new Set(keys);
  const isOwned = (key: string) => mine.has(key);
  return {
    mine,
    stillOwns: isOwned,
    grant: (key: string) => (isOwned(key) ? { subject: key, isValid: () => isOwned(key) } : undefined),
    tenure: () => undefined,
    register: () => undefined,
  };
}

/** An informer with one object, which the test changes. */
function singleObjectInformer(first: KubeObject) {
  const handlers = new Set<Handler>();
  const informer = {
    addHandler(handler: Handler) {
      handlers.add(handler);
      handler.onAdd(first);
      return () => handlers.delete(handler);
    },
    list: () => [first],
    whenSynced: () => Promise.resolve(),
  };
  const update = (object: KubeObject) => {
    for (const handler of handlers) handler.onUpdate(first, object);
  };
  return { informer: informer as unknown as Informer<KubeObject>, update };
}

interface Handler {
  onAdd(object: KubeObject): void;
  onUpdate(old: KubeObject, object: KubeObject): void;
}

describe('a controller', () => {
  test('runs keys that were enqueued before it started', async () => {
    const { controller, runs, stop } = run(async () => ({}));
    controller.enqueue('a');
    expect(runs).toEqual([]);

    controller.start(stop.signal);
    await controller.idle();

    expect(runs).toEqual(['a']);
  });

  test('requeues after the requested delay, or earlier for an event', async () => {
    const { clock, controller, runs, stop } = run(async () => ({ requeueAfterMs: 60_000 }));
    controller.start(stop.signal);
    controller.enqueue('a');
    await clock.advance(60_000);
    expect(runs).toHaveLength(2);

    controller.enqueue('a');
    await controller.idle();
    expect(runs).toHaveLength(3);
  });

  test('retries a failure with growing backoff, which a success resets', async () => {
    let failures = 3;
    const { clock, controller, runs, stop } = run(async () => {
      if (failures-- > 0) throw new Error('not yet');
      return {};
    });
    controller.start(stop.signal);
    controller.enqueue('a');

    await clock.advance(5 + 10 + 19);
    expect(runs).toHaveLength(3);
    await clock.advance(1);
    expect(runs).toHaveLength(4);
    expect(clock.pendingTimers).toBe(0);
  });

  test('honours Retry-After from a busy server', async () => {
    let failures = 1;
    const { clock, controller, runs, stop } = run(async () => {
      if (failures-- > 0) throw tooManyRequests('slow down', 30);
      return {};
    });
    controller.start(stop.signal);
    controller.enqueue('a');

    await clock.advance(29_999);
    expect(runs).toHaveLength(1);
    await clock.advance(1);
    expect(runs).toHaveLength(2);
  });

  test('does not shorten the backoff for an event after a failure', async () => {
    const { clock, controller, runs, stop } = run(() => Promise.reject(new Error('no')), {
      backoff: { baseMs: 1_000, maxMs: 300_000 },
    });
    controller.start(stop.signal);
    for (let i = 0; i < 20_000; i += 10) {
      controller.enqueue('a');
      await clock.advance(10);
    }

    expect(runs).toHaveLength(5);
  });

  test('retries a reported failure with growing backoff, or for an event', async () => {
    const { clock, controller, runs, stop } = run(async () => ({ failure: {} }), {
      backoff: { baseMs: 1_000, maxMs: 300_000 },
    });
    controller.start(stop.signal);
    controller.enqueue('a');
    await clock.advance(20_000);
    expect(runs).toHaveLength(5);

    controller.enqueue('a');
    await controller.idle();
    expect(runs).toHaveLength(6);
  });

  test.each<{ reason: string; change: Partial<ObjectMeta>; isRequested: boolean }>([
    { reason: 'its spec changed', change: { generation: 2 }, isRequested: true },
    { reason: 'it is deleted', change: { deletionTimestamp: '2026-01-01T00:00:00Z' }, isRequested: true },
    { reason: 'a request annotation changed', change: { annotations: { retry: '1' } }, isRequested: true },
    { reason: 'another annotation changed', change: { annotations: { other: '1' } }, isRequested: false },
    { reason: 'its status changed', change: { resourceVersion: '2' }, isRequested: false },
  ])('retries a failed object immediately only on a user’s request: $reason', async ({ change, isRequested }) => {
    const metadata: ObjectMeta = { name: 'a', generation: 1, resourceVersion: '1' };
    const { informer, update } = singleObjectInformer({ metadata });
    const userTriggered: (boolean | undefined)[] = [];
    const clock = new FakeClock();
    const controller = new Controller({
      name: 'widgets',
      clock,
      requestAnnotations: ['retry'],
      backoff: { baseMs: 60_000, maxMs: 60_000 },
      reconcile: (_, context) => {
        userTriggered.push(context.userTriggered);
        return Promise.reject(new Error('no'));
      },
    }).watch(informer);
    const stop = new AbortController();
    stops.push(stop);
    controller.start(stop.signal);
    await clock.advance(1);

    update({ metadata: { ...metadata, ...change } });
    await clock.advance(1);

    expect(userTriggered).toEqual(isRequested ? [false, true] : [false]);
  });

  test('does not retry a TerminalError', async () => {
    const { clock, controller, runs, stop } = run(() => Promise.reject(new TerminalError('no such flavor')));
    controller.start(stop.signal);
    controller.enqueue('a');
    await clock.advance(3_600_000);

    expect(runs).toEqual(['a']);
  });

  test('runs up to its concurrency, and one run per key', async () => {
    const gates = new Map<string, PromiseWithResolvers<Result>>();
    const { clock, controller, runs, stop } = run(
      (key) => {
        const gate = Promise.withResolvers<Result>();
        gates.set(key, gate);
        return gate.promise;
      },
      { concurrency: 2 },
    );
    controller.start(stop.signal);
    for (const key of ['a', 'b', 'c', 'a']) controller.enqueue(key);
    await clock.advance(0);
    expect(runs).toEqual(['a', 'b']);

    controller.enqueue('a');
    gates.get('b')?.resolve({});
    await clock.advance(0);
    expect(runs).toEqual(['a', 'b', 'c']);

    gates.get('a')?.resolve({});
    await clock.advance(0);
    expect(runs).toEqual(['a', 'b', 'c', 'a']);
    for (const gate of gates.values()) gate.resolve({});
    await controller.idle();
  });

  test('yields to the event loop during many runs that never wait', async () => {
    const { controller, runs, stop } = run(async () => ({}));
    const keys = Array.from({ length: 1_000 }, (_, index) => `ns/${index}`);
    for (const key of keys) controller.enqueue(key);
    const runsByTurn: number[] = [];

    controller.start(stop.signal);
    while (runs.length < keys.length) {
      const before = runs.length;
      await setImmediate();
      runsByTurn.push(runs.length - before);
    }
    await controller.idle();

    expect(runs).toEqual(keys);
    // Two event-loop turns may pass before the test checks.
    expect(Math.max(...runsByTurn)).toBeLessThanOrEqual(200);
  });

  test('treats a reconcile that throws synchronously like any other failure', async () => {
    const { clock, controller, runs, stop } = run(() => {
      throw new TerminalError('at once');
    });
    controller.start(stop.signal);
    controller.enqueue('a');
    controller.enqueue('b');
    await clock.advance(0);

    expect(runs).toEqual(['a', 'b']);
  });

  test('waits for running reconciles when it stops', async () => {
    const gate = Promise.withResolvers<Result>();
    const { clock, controller, runs, stop } = run(() => gate.promise);
    controller.start(stop.signal);
    controller.enqueue('a');
    controller.enqueue('b');
    let isStopped = false;
    stop.abort();
    void controller.stopped.then(() => {
      isStopped = true;
    });
    await clock.advance(9_000);
    expect(isStopped).toBe(false);

    gate.resolve({ requeueAfterMs: 5 });
    await clock.advance(0);

    expect(isStopped).toBe(true);
    expect(runs).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('aborts a reconcile that outlasts the stop', async () => {
    const aborted: string[] = [];
    const { clock, controller, stop } = run((key, signal) => {
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted.push(key);
          resolve({});
        });
      });
    });
    controller.start(stop.signal);
    controller.enqueue('a');
    stop.abort();
    await clock.advance(9_999);
    expect(aborted).toEqual([]);

    await clock.advance(1);
    await controller.stopped;
    expect(aborted).toEqual(['a']);
  });

  test('ignores keys that belong to another member', async () => {
    const { controller, runs, stop } = run(async () => ({}), { owner: ownerOf(['a']) });
    controller.start(stop.signal);
    controller.enqueue('a');
    controller.enqueue('b');
    await controller.idle();

    expect(runs).toEqual(['a']);
  });

  test('runs under the grant of the owner’s key, and stops without a retry when the grant is lost', async () => {
    const owner = ownerOf(['cluster-1']);
    const acted: string[] = [];
    const { controller, runs, stop } = run(
      async (key) => {
        fenceFor('the first step')?.();
        acted.push(key);
        owner.mine.clear();
        fenceFor('the second step')?.();
        acted.push(`${key} again`);
        return {};
      },
      { owner, ownerKey: (key) => ({ machine: 'cluster-1', stranger: 'cluster-2' })[key] },
    );
    controller.start(stop.signal);
    for (const key of ['machine', 'stranger', 'gone']) controller.enqueue(key);
    await controller.idle();

    expect(runs, 'a deleted object is cleaned up on every member').toEqual(['machine', 'gone']);
    expect(acted, 'without a grant to act on it').toEqual(['machine']);
  });

  test('aborts the reconcile of a key that another member took over, without a retry', async () => {
    const owner = ownerOf(['cluster-1', 'cluster-2']);
    const ended: string[] = [];
    const { controller, clock, runs, stop } = run(
      (key, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            ended.push(key);
            reject(signal.reason);
          });
        }),
      { owner, ownerKey: (key) => `cluster-${key}`, concurrency: 2 },
    );
    controller.start(stop.signal);
    controller.enqueue('1');
    controller.enqueue('2');

    owner.mine.delete('cluster-1');
    await controller.release((key) => key === 'cluster-1');
    await controller.drained((key) => key === 'cluster-1');
    await clock.advance(1_000_000);

    expect(ended).toEqual(['1']);
    expect(runs).toEqual(['1', '2']);
  });

  test('retries a run if work that it shared with a run under a lost grant was refused', async () => {
    let attempts = 0;
    const { controller, stop, clock } = run(
      async () => {
        attempts++;
        if (attempts === 1) throw new FencedError('a', 'what an earlier run had begun');
        return {};
      },
      { owner: ownerOf(['a']) },
    );
    controller.start(stop.signal);
    controller.enqueue('a');
    await clock.advance(1_000);

    expect(attempts).toBe(2);
  });

  test('exports the metrics of controller-runtime', async () => {
    const registry = new Registry();
    const clock = new FakeClock();
    const metrics = new ControllerMetrics(registry, () => clock.now());
    const { controller, stop } = run(
      async (key) => {
        if (key === 'bad') throw new TerminalError('bad');
        return key === 'later' ? { requeueAfterMs: 1_000 } : {};
      },
      { metrics, clock },
    );
    controller.start(stop.signal);
    for (const key of ['good', 'bad', 'later']) controller.enqueue(key);
    await controller.idle();

    const text = await registry.metrics();
    for (const line of [
      'controller_runtime_reconcile_total{controller="widgets",result="success"} 1',
      'controller_runtime_reconcile_total{controller="widgets",result="error"} 1',
      'controller_runtime_reconcile_total{controller="widgets",result="requeue_after"} 1',
      'controller_runtime_terminal_reconcile_errors_total{controller="widgets"} 1',
      'controller_runtime_reconcile_time_seconds_count{controller="widgets"} 3',
      'workqueue_depth{name="widgets",controller="widgets"} 0',
      'workqueue_adds_total{name="widgets",controller="widgets"} 4',
      'workqueue_longest_running_processor_seconds{name="widgets",controller="widgets"} 0',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
  });
});
