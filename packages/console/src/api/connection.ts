import { useSyncExternalStore } from 'react';
import { serverClock } from './server-clock.ts';

/** Whether the server responds. */
export type Connection =
  | { readonly state: 'ok' }
  /** The server has not responded since `sinceMs`. */
  | { readonly state: 'lost'; readonly sinceMs: number }
  /** The server responds again after an outage. */
  | { readonly state: 'back'; readonly sinceMs: number };

const listeners = new Set<() => void>();
let current: Connection = { state: 'ok' };
let lastResponseMs: number | undefined;

function change(next: Connection): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Tracks the connection; must be called for every response and every failed request. */
export const connection = {
  get: (): Connection => current,
  /** The time of the server's last response, by its clock. */
  heardMs: (): number | undefined => lastResponseMs,
  recordResponse(nowMs = serverClock.nowMs()): void {
    lastResponseMs = nowMs;
    if (current.state === 'lost') change({ state: 'back', sinceMs: nowMs });
  },
  recordFailure(nowMs = serverClock.nowMs()): void {
    if (current.state !== 'lost') change({ state: 'lost', sinceMs: lastResponseMs ?? nowMs });
  },
  /** The user has seen that the server is back. */
  acknowledge(): void {
    if (current.state === 'back') change({ state: 'ok' });
  },
  subscribe: (onChange: () => void): (() => void) => {
    listeners.add(onChange);
    return () => void listeners.delete(onChange);
  },
};

export function useConnection(): Connection {
  return useSyncExternalStore(connection.subscribe, connection.get);
}
