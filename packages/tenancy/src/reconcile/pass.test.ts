import { FakeClock } from '@fairway/base/clock-fake';
import { FencedError } from '@fairway/base/fence';
import { BackoffError } from '@fairway/kube/controller/attempts';
import { conflict, forbidden } from '@fairway/kube/object/api-error';
import { describe, expect, test } from 'vitest';
import { Pass } from './pass.ts';

function start(signal = new AbortController().signal) {
  const clock = new FakeClock();
  const pass = new Pass({ signal }, clock);
  let writes = 0;
  const end = () =>
    pass.end(async () => {
      writes++;
    });
  return { clock, pass, end, writes: () => writes };
}

const refused = forbidden({ resource: 'machines', name: 'm' }, 'no');

describe('a pass', () => {
  test('writes the status after success', async () => {
    const { pass, end, writes } = start();
    expect(await pass.run(async () => 7)).toEqual({ value: 7 });

    expect(await end()).toEqual({});
    expect(writes()).toBe(1);
  });

  test('runs all phases and writes the status even if one phase fails', async () => {
    const { pass, end, writes } = start();
    const first = await pass.run(() => Promise.reject(refused));
    const second = await pass.run(async () => 'done');

    expect(first.failure).toMatchObject({ reason: 'InternalError', party: 'fairwayApi' });
    expect(second.value).toBe('done');
    expect(await end()).toEqual({ failure: {} });
    expect(writes()).toBe(1);
  });

  test('writes the status before it rethrows a fault in Fairway', async () => {
    const { pass, end, writes } = start();
    const fault = new TypeError('x is undefined');
    const outcome = await pass.run(() => Promise.reject(fault));

    expect(outcome.failure).toMatchObject({ party: 'fairway' });
    await expect(end()).rejects.toBe(fault);
    expect(writes()).toBe(1);
  });

  test('is requeued at the earliest requested time or retry', async () => {
    const { clock, pass, end } = start();
    pass.requeueAfter(600_000);
    pass.requeueAfter(undefined);
    for (const remainingMs of [30_000, 5_000]) {
      await pass.run(() => Promise.reject(new BackoffError(refused, clock.now() + remainingMs)));
    }

    expect(await end()).toEqual({ requeueAfterMs: 5_001 });
  });

  test.each([
    { reason: 'the cache was slightly outdated', error: conflict({ resource: 'clusters', name: 'c' }, 'newer') },
    { reason: 'another process owns the cluster', error: new FencedError('c', 'a write') },
  ])('ends immediately if $reason', async ({ error }) => {
    await expect(start().pass.run(() => Promise.reject(error))).rejects.toBe(error);
  });

  test('ends with any error that a phase throws after its signal has aborted', async () => {
    const abort = new AbortController();
    const { pass } = start(abort.signal);
    const phase = async () => {
      abort.abort();
      throw refused;
    };

    await expect(pass.run(phase)).rejects.toBe(refused);
  });

  test('starts no phase and writes nothing after its signal has aborted', async () => {
    const abort = new AbortController();
    const { pass, end, writes } = start(abort.signal);
    let phases = 0;
    const phase = async () => {
      phases++;
    };
    await pass.run(phase);
    abort.abort();

    await expect(pass.run(phase)).rejects.toMatchObject({ name: 'AbortError' });
    await expect(end()).rejects.toMatchObject({ name: 'AbortError' });
    expect(phases).toBe(1);
    expect(writes()).toBe(0);
  });
});
