import { expect, it } from 'vitest';
import { inProcessTransport } from './in-process-transport.ts';
import { Line, type LineSink, type LineStream } from './request.ts';

/** A watch with any number of lines of a given length, which sends lines while there is room. */
class EndlessWatch implements LineStream {
  readonly #line: Line;
  #sink: LineSink | undefined;
  sent = 0;

  constructor(chars: number) {
    this.#line = new Line(`${'x'.repeat(chars - 1)}\n`);
  }

  start(sink: LineSink): void {
    this.#sink = sink;
    this.resume();
  }

  resume(): void {
    let hasRoom = true;
    while (hasRoom && this.sent < 100_000) {
      this.sent++;
      hasRoom = this.#sink?.send(this.#line) ?? false;
    }
  }

  stop(): void {}
}

async function watchOf(chars: number) {
  const watch = new EndlessWatch(chars);
  const transport = inProcessTransport(() => Promise.resolve({ status: 200, headers: {}, body: watch }));
  const response = await transport.request({ method: 'GET', path: '/', isWatch: true });
  return { watch, lines: response.lines()[Symbol.asyncIterator](), transport };
}

it.each([
  { chars: 10, most: 256, reason: 'the maximum number' },
  { chars: 8 * 1024, most: 8, reason: 'lines of 64 KiB in total' },
  { chars: 1024 * 1024, most: 1, reason: 'one line of any length' },
])('buffers $most lines of $chars characters for a client that does not read, $reason', async ({ chars, most }) => {
  const { watch, transport } = await watchOf(chars);

  expect(watch.sent).toBe(most);
  transport.close();
});

it('resumes the watch once the buffer has been read', async () => {
  const { watch, lines, transport } = await watchOf(8 * 1024);
  for (let read = 0; read < 9; read++) expect((await lines.next()).value).toHaveLength(8 * 1024 - 1);

  expect(watch.sent).toBe(16);
  transport.close();
});
