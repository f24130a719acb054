import { FakeClock } from '@fairway/base/clock-fake';
import { ExitCode } from '@fairway/service/exit-code';
import { expect, test } from 'vitest';
import { fakeContext } from '../testing/fake-context.ts';
import { abortableStart } from './abortable-start.ts';

function stoppableContext() {
  const clock = new FakeClock();
  const stop = new AbortController();
  return { clock, stop, context: { ...fakeContext({ clock }), signal: stop.signal } };
}

test('waits for a start that is not stopped', async () => {
  const { context } = stoppableContext();

  expect(await abortableStart(context, Promise.resolve('running'))).toBe('running');
});

test('returns a stopped start that completes within the grace period, for a graceful shutdown', async () => {
  const { context, clock, stop } = stoppableContext();
  const start = Promise.withResolvers<string>();
  const waiting = abortableStart(context, start.promise);
  stop.abort();
  await clock.advance(4_000);
  start.resolve('running');

  expect(await waiting).toBe('running');
});

test.each([{ isEarly: true }, { isEarly: false }])(
  'gives up on a stopped start that hangs, even if it was stopped earlier ($isEarly)',
  async ({ isEarly }) => {
    const { context, clock, stop } = stoppableContext();
    if (isEarly) stop.abort();
    const waiting = abortableStart(context, new Promise<never>(() => {}));
    stop.abort();
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ exitCode: ExitCode.Interrupted }),
      clock.advance(5_000),
    ]);
  },
);
