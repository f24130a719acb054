import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Clock } from '@fairway/base/clock';
import type { TransportResponse } from '@fairway/kube/client/transport';
import type { WatchSelection } from './watch-request.ts';

/**
 * Opens a watch as if the session's user had requested it themselves: authenticated, authorized, counted and audited.
 */
export type OpenWatch = (
  path: string,
  signal: AbortSignal,
) => Promise<Pick<TransportResponse, 'status' | 'lines' | 'text'>>;

export interface WatchStreamOptions {
  readonly watches: readonly WatchSelection[];
  readonly open: OpenWatch;
  /** When the session and its watches end. */
  readonly endsAtMs: number;
  readonly clock: Clock;
  /** Aborted once the browser disconnects. */
  readonly signal: AbortSignal;
}

/** Shows the browser that the connection is alive, and shows the server that the browser is still connected. */
const HEARTBEAT_MS = 20_000;
/** Maximum amount buffered for a slow browser; the API's own limits apply to a watch that waits for space. */
const MAX_BUFFERED_BYTES = 16 * 1024;

/**
 * Several watches in one response, with a line for each event: `{"w":1,"event":{…}}`, `{"w":1,"failure":{…}}` if a
 * watch cannot be opened, `{"w":1,"end":true}` when a watch has ended normally, and empty lines in between. A browser
 * has six connections to a server, shared by all its tabs.
 */
export function watchStream({ watches, open, endsAtMs, clock, signal }: WatchStreamOptions): PassThrough {
  const out = new PassThrough({ highWaterMark: MAX_BUFFERED_BYTES });
  // Each watch waits for buffer space separately.
  out.setMaxListeners(0);
  const stop = new AbortController();
  const end = () => stop.abort();
  const sendHeartbeat = () => {
    if (out.writableLength === 0) out.write('\n');
    heartbeat = clock.after(HEARTBEAT_MS, sendHeartbeat);
  };
  let heartbeat = clock.after(HEARTBEAT_MS, sendHeartbeat);
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
  const openWatches = watches.map((watch) => follow(watch, open, write, stop.signal));
  void Promise.allSettled(openWatches).then(() => {
    heartbeat.cancel();
    out.end();
  });
  // Sends the response headers, because the browser waits for them.
  out.write('\n');
  return out;
}

async function follow(
  { id, path }: WatchSelection,
  open: OpenWatch,
  write: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const watchResponse = await open(path, signal);
    if (watchResponse.status !== 200) {
      await write(`{"w":${id},"code":${watchResponse.status},"failure":${toSingleLine(await watchResponse.text())}}\n`);
      return;
    }
    for await (const line of watchResponse.lines()) await write(`{"w":${id},"event":${line}}\n`);
    if (!signal.aborted) await write(`{"w":${id},"end":true}\n`);
  } catch {
    // Disconnected clients receive nothing; other clients reopen the watch.
    if (!signal.aborted) await write(`{"w":${id},"end":true}\n`).catch(() => undefined);
  }
}

/** A Status, or the text of an intermediary's error. */
function toSingleLine(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return JSON.stringify(body.slice(0, 1_024));
  }
}
