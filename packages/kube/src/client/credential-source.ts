import type { Clock } from '@fairway/base/clock';

/** How often credential files are reread, as in client-go. */
const RELOAD_MS = 60_000;

/** Caches a value for a minute; if a reload fails, the last value stays in use. */
export function cachedLoader<Value>(clock: Clock, load: () => Promise<Value>): () => Promise<Value> {
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
