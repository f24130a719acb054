import { useSyncExternalStore } from 'react';
import { serverClock } from '../api/server-clock.ts';
import { useLocale } from './settings.ts';
import { duration, fullTime, relativeTime, type Tense } from './time.ts';

const TICK_MS = 1000;
let nowMs = 0;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** One timer for all times on the page. */
function subscribe(onTick: () => void): () => void {
  listeners.add(onTick);
  timer ??= setInterval(() => {
    for (const listener of listeners) listener();
  }, TICK_MS);
  return () => {
    listeners.delete(onTick);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The server's time in steps of one second, including for the first render. */
function current(): number {
  const now = serverClock.nowMs();
  // The time can also step back, once the offset between the clocks is known.
  if (Math.abs(now - nowMs) >= TICK_MS) nowMs = now;
  return nowMs;
}

/** A value derived from the time; the component renders again only when the value changes. */
function useTimedText(textAt: (nowMs: number) => string): string {
  return useSyncExternalStore(subscribe, () => textAt(current()));
}

/** The server's time to the minute, for values that change slowly. */
export function useNow(stepMs = 60_000): number {
  return useSyncExternalStore(subscribe, () => current() - (current() % stepMs));
}

/** A time relative to now. Empty if there is no time. */
export function useRelativeTime(at: string | undefined, tense: Tense): string {
  const locale = useLocale();
  return useTimedText((now) => (at === undefined ? '' : relativeTime(at, now, locale, tense)));
}

/** The duration since a time. Empty if there is no time. */
export function useDuration(since: string | undefined): string {
  const locale = useLocale();
  return useTimedText((now) => (since === undefined ? '' : duration(since, now, locale)));
}

export interface RelativeTimeProps {
  readonly at: string | undefined;
  readonly tense?: Tense;
}

/** A relative time, with the exact time as a tooltip. Empty if there is no time. */
export function RelativeTime({ at, tense = 'past' }: RelativeTimeProps) {
  const locale = useLocale();
  const relativeText = useRelativeTime(at, tense);
  if (at === undefined) return null;
  return (
    <time dateTime={at} title={fullTime(at, locale)}>
      {relativeText}
    </time>
  );
}
