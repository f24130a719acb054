import { FakeClock } from '@fairway/base/clock-fake';
import { expect, it } from 'vitest';
import { type OpenWatch, watchStream } from './watch-stream.ts';

const DAY_MS = 86_400_000;
const LONG = JSON.stringify({ type: 'ADDED', object: 'x'.repeat(20_000) });

/** One watch per entry of `texts`, each of which ends after its lines. */
function streamOf(texts: readonly string[][], clock = new FakeClock()) {
  const open: OpenWatch = (path) =>
    Promise.resolve({
      status: 200,
      text: () => Promise.resolve(''),
      // biome-ignore lint/suspicious/useAwait: other sources of lines are asynchronous.
      async *lines() {
        yield* texts[Number(path)] ?? [];
      },
    });
  const watches = texts.map((_, id) => ({ id, path: String(id) }));
  return watchStream({ watches, open, endsAtMs: clock.now() + DAY_MS, clock, signal: new AbortController().signal });
}

async function linesOf(stream: AsyncIterable<Buffer>): Promise<string[]> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text.split('\n').filter((line) => line !== '');
}

it('sends a line for each event, and one for the end of each watch', async () => {
  expect(await linesOf(streamOf([['{"a":1}'], ['{"b":1}', '{"b":2}']]))).toEqual(
    expect.arrayContaining(['{"w":0,"event":{"a":1}}', '{"w":0,"end":true}', '{"w":1,"event":{"b":2}}']),
  );
});

it('sends all lines to a slow browser, however long ago the watches ended', async () => {
  const clock = new FakeClock();
  const stream = streamOf([['{"a":1}']], clock);
  await new Promise(setImmediate);
  await clock.advance(60_000);

  expect(await linesOf(stream)).toEqual(['{"w":0,"event":{"a":1}}', '{"w":0,"end":true}']);
});

it('lets sixteen watches wait for a slow browser without warnings in the log', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', onWarning);
  const stream = streamOf(Array.from({ length: 16 }, () => [LONG, LONG]));
  await new Promise(setImmediate);
  const lines = await linesOf(stream);
  await new Promise(setImmediate);
  process.off('warning', onWarning);

  expect(lines).toHaveLength(48);
  expect(warnings).toEqual([]);
});
