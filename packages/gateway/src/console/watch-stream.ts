import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Clock } from '@fairway/base/clock';
import type { TransportResponse } from '@fairway/kube/client/transport';
import type { WantedWatch } from './watch-request.ts';

/** Opens a watch of the session's user, as if he had asked for it himself: authenticated, authorised, counted and audited. */
export type OpenWatch = (
  path: string,
  signal: AbortSignal,
) => Promise<Pick<TransportResponse, 'status' | 'lines' | 'text'>>;

export interface WatchStreamOptions {
  readonly watches: readonly WantedWatch[];
  readonly open: OpenWatch;
  /** When the session ends, and with it what it has opened. */
  readonly endsAtMs: number;
  readonly clock: Clock;
  /** Aborted when the browser has gone. */
  readonly signal: AbortSignal;
}

/** Tells the browser that the connection lives, and the server that the browser does. */
const HEARTBEAT_MS = 20_000;
/** What waits for a slow browser; a watch that waits for room is held up by the API's own bounds. */
const BUFFERED_BYTES = 16 * 1024;

/**
 * Several watches in one answer, a line for each event: `{"w":1,"event":{…}}`, `{"w":1,"failure":{…}}` where there is no watch, `{"w":1,"end":true}` where it has ended in order, and
 * empty lines in between. A browser has six connections to a server, for all its tabs together.
 */
export function watchStream({ watches, open, endsAtMs, clock, signal }: WatchStreamOptions): PassThrough {
  const out = new PassThrough({ highWaterMark: BUFFERED_BYTES });
  // Each watch waits for room by itself.
  out.setMaxListeners(0);
  const stop = new AbortController();
  const end = () => stop.abort();
  const beat = () => {
    if (out.writableLength === 0) out.write('\n');
    heartbeat = clock.after(HEARTBEAT_MS, beat);
  };
  let heartbeat = clock.after(HEARTBEAT_MS, beat);
  const sessionEnd = clock.after(Math.max(0, endsAtMs - clock.now()), end);
  signal.addEventListener('abort', end, { once: true });
  out.once('close', () => {
    end();
    heartbeat.cancel();
    sessionEnd.cancel();
    signal.removeEventListener('abort', end);
  });
  const write = async (line: string) => {
    if (!out.write(line)) await once(out, 'drain', { signal: stop.signal });
  };
  const following = watches.map((watch) => follow(watch, open, write, stop.signal));
  void Promise.allSettled(following).then(() => {
    heartbeat.cancel();
    out.end();
  });
  // Begins the answer: a browser waits for its head.
  out.write('\n');
  return out;
}

async function follow(
  { id, path }: WantedWatch,
  open: OpenWatch,
  write: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const answer = await open(path, signal);
    if (answer.status !== 200) {
      await write(`{"w":${id},"code":${answer.status},"failure":${oneLine(await answer.text())}}\n`);
      return;
    }
    for await (const line of answer.lines()) await write(`{"w":${id},"event":${line}}\n`);
    if (!signal.aborted) await write(`{"w":${id},"end":true}\n`);
  } catch {
    // Whoever has gone hears nothing; others ask for the watch again.
    if (!signal.aborted) await write(`{"w":${id},"end":true}\n`).catch(() => undefined);
  }
}

/** A Status, or the text of something in between. */
function oneLine(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return JSON.stringify(body.slice(0, 1_024));
  }
}
