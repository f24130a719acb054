import { expect, it } from 'vitest';
import { Failure } from './failure.ts';
import type { RequestOptions } from './request.ts';
import { WatchChannel, type WatchEvent } from './watch-channel.ts';

/** Streams that a test writes to. */
class FakeServer {
  readonly requests: {
    readonly watches: { readonly id: number; readonly path: string }[];
    readonly signal: AbortSignal;
  }[] = [];
  #controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
  #waiting: (() => void)[] = [];
  refusal: Failure | undefined;

  readonly open = (_path: string, { body, signal }: RequestOptions): Promise<Response> => {
    const { watches } = body as { watches: { id: number; path: string }[] };
    this.requests.push({ watches, signal: signal ?? new AbortController().signal });
    for (const wake of this.#waiting.splice(0)) wake();
    if (this.refusal) return Promise.reject(this.refusal);
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controllers.push(controller);
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return Promise.resolve(new Response(stream));
  };

  async opened(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  sendLine(line: object, stream = this.#controllers.length - 1): void {
    this.#controllers[stream]?.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n\n`));
  }

  end(): void {
    this.#controllers.at(-1)?.close();
  }

  versions(index: number): (string | null)[] {
    return (this.requests[index]?.watches ?? []).map(({ path }) =>
      new URLSearchParams(path.split('?')[1]).get('resourceVersion'),
    );
  }
}

const added = (name: string, resourceVersion: string): WatchEvent<never> =>
  ({ type: 'ADDED', object: { metadata: { name, resourceVersion } } }) as unknown as WatchEvent<never>;

function watching(path: string, resourceVersion = '1', signal = new AbortController().signal) {
  return { path, query: { labelSelector: 'a=b' }, resourceVersion, signal };
}

it('carries all watches of a page over one connection', async () => {
  const server = new FakeServer();
  const channel = new WatchChannel({ open: server.open, random: () => 1 });
  const [first, second] = [channel.watch(watching('/a')).next(), channel.watch(watching('/b')).next()];
  await server.opened(1);
  const [a, b] = server.requests[0]?.watches ?? [];
  server.sendLine({ w: b?.id, event: added('y', '5') });
  server.sendLine({ w: a?.id, event: added('x', '4') });

  expect(a?.path).toBe(
    '/a?labelSelector=a%3Db&watch=true&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=240',
  );
  expect((await first).value).toEqual([added('x', '4')]);
  expect((await second).value).toEqual([added('y', '5')]);
  expect(server.requests).toHaveLength(1);
});

it('reconnects to add another watch, and resumes the others', async () => {
  const server = new FakeServer();
  const channel = new WatchChannel({ open: server.open });
  const first = channel.watch(watching('/a'));
  const received = first.next();
  await server.opened(1);
  server.sendLine({ w: 1, event: added('x', '4') });
  await received;
  const more = first.next();
  const second = channel.watch(watching('/b', '7')).next();
  await server.opened(2);
  server.sendLine({ w: 1, event: added('z', '9') });
  server.sendLine({ w: 2, event: added('y', '8') });

  expect(server.requests[0]?.signal.aborted).toBe(true);
  expect(server.versions(1)).toEqual(['4', '7']);
  expect((await more).value).toEqual([added('z', '9')]);
  expect((await second).value).toEqual([added('y', '8')]);
});

it('reports a refusal only to the refused watch', async () => {
  const server = new FakeServer();
  const channel = new WatchChannel({ open: server.open });
  const [first, second] = [channel.watch(watching('/a')).next(), channel.watch(watching('/b')).next()];
  await server.opened(1);
  const status = { kind: 'Status', code: 410, message: 'too old', reason: 'Expired' };
  server.sendLine({ w: 1, code: 410, failure: status });
  server.sendLine({ w: 2, event: added('y', '5') });

  await expect(first).rejects.toMatchObject({ code: 410, message: 'too old' });
  expect((await second).value).toEqual([added('y', '5')]);
});

it('ends a watch when the server ends it', async () => {
  const server = new FakeServer();
  const channel = new WatchChannel({ open: server.open });
  const first = channel.watch(watching('/a')).next();
  await server.opened(1);
  server.sendLine({ w: 1, end: true });

  expect((await first).done).toBe(true);
});

it('ends all watches when the server ends the connection', async () => {
  const server = new FakeServer();
  const channel = new WatchChannel({ open: server.open });
  const [first, second] = [channel.watch(watching('/a')).next(), channel.watch(watching('/b')).next()];
  await server.opened(1);
  server.end();

  expect([(await first).done, (await second).done]).toEqual([true, true]);
});

it('reports an unreachable server to all watches', async () => {
  const server = new FakeServer();
  server.refusal = new Failure(503, 'stopping');
  const channel = new WatchChannel({ open: server.open });
  const bothWatches = [channel.watch(watching('/a')).next(), channel.watch(watching('/b')).next()];

  for (const each of bothWatches) await expect(each).rejects.toMatchObject({ code: 503 });
});

it('closes the connection when no watch is left', async () => {
  const server = new FakeServer();
  const channel = new WatchChannel({ open: server.open });
  const stop = new AbortController();
  const first = channel.watch(watching('/a', '1', stop.signal)).next();
  await server.opened(1);
  stop.abort();

  expect((await first).done).toBe(true);
  expect(server.requests[0]?.signal.aborted).toBe(true);
});
