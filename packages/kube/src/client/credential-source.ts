import type { Clock } from '@fairway/base/clock';

/** Files of credentials are read again after so long, as client-go does. */
const RELOAD_MS = 60_000;

/** Keeps a value for a minute; when it can't be had again, the last one stays in use. */
export function reloading<Value>(clock: Clock, load: () => Promise<Value>): () => Promise<Value> {
  let current: { readonly value: Value; readonly loadedMs: number } | undefined;
  return async () => {
    if (current && clock.now() - current.loadedMs < RELOAD_MS) return current.value;
    try {
      current = { value: await load(), loadedMs: clock.now() };
    } catch (error) {
      if (!current) throw error;
      current = { value: current.value, loadedMs: clock.now() };
    }
    return current.value;
  };
}
