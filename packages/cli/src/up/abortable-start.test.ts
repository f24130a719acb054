import { FakeClock } from '@fairway/base/clock-fake';
import { ExitCode } from '@fairway/service/exit-code';
import { expect, test } from 'vitest';
import { fakeContext } from '../testing/fake-context.ts';
import { abortableStart } from './abortable-start.ts';

function contextThatStops() {
  const clock = new FakeClock();
  const stop = new AbortController();
  return { clock, stop, context: { ...fakeContext({ clock }), signal: stop.signal } };
}

test('a start that nothing stops is waited for', async () => {
  const { context } = contextThatStops();

  expect(await abortableStart(context, Promise.resolve('running'))).toBe('running');
});

test('a stopped start that ends within the grace period is given back, to be shut down in order', async () => {
  const { context, clock, stop } = contextThatStops();
  const start = Promise.withResolvers<string>();
  const waiting = abortableStart(context, start.promise);
  stop.abort();
  await clock.advance(4_000);
  start.resolve('running');

  expect(await waiting).toBe('running');
});

test.each([{ isEarly: true }, { isEarly: false }])(
  'a stopped start that hangs is given up ($isEarly)',
  async ({ isEarly }) => {
    const { context, clock, stop } = contextThatStops();
    if (isEarly) stop.abort();
    const waiting = abortableStart(context, new Promise<never>(() => {}));
    stop.abort();
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ exitCode: ExitCode.Interrupted }),
      clock.advance(5_000),
    ]);
  },
);
