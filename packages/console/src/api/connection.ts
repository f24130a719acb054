import { useSyncExternalStore } from 'react';

/** Whether the server answers. */
export type Connection =
  | { readonly state: 'ok' }
  | { readonly state: 'lost'; readonly sinceMs: number }
  /** It answers again, after it did not. */
  | { readonly state: 'back'; readonly sinceMs: number };

const listeners = new Set<() => void>();
let current: Connection = { state: 'ok' };

function change(next: Connection): void {
  current = next;
  for (const listener of listeners) listener();
}

/** To be called whenever the server has answered, and when it has not. */
export const connection = {
  get: (): Connection => current,
  answered(nowMs = Date.now()): void {
    if (current.state === 'lost') change({ state: 'back', sinceMs: nowMs });
  },
  failed(nowMs = Date.now()): void {
    if (current.state !== 'lost') change({ state: 'lost', sinceMs: nowMs });
  },
  /** That it is back has been read. */
  noticed(): void {
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
