import { useSyncExternalStore } from 'react';
import { useLanguage } from './settings.ts';
import { fullTime, relativeTime } from './time.ts';

const TICK_MS = 10_000;
let nowMs = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times on the page. */
function subscribe(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const listener of listeners) listener();
  }, TICK_MS);
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time, kept up while it is shown. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs);
}

/** A point in time as people say it, with the exact one beside the pointer. Nothing for an object that has none. */
export function When({ at }: { readonly at: string | undefined }) {
  const language = useLanguage();
  const now = useNow();
  if (at === undefined) return null;
  return (
    <time dateTime={at} title={fullTime(at, language)}>
      {relativeTime(at, now, language)}
    </time>
  );
}
