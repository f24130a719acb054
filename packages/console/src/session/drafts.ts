import { useEffect, useState } from 'react';

/** Unsaved input by place, so that users who leave a form and return find it. Kept only in this page's memory. */
const drafts = new Map<string, unknown>();

/** The next user to sign in may be a different one. */
export function forgetDrafts(): void {
  drafts.clear();
}

export interface Draft<T> {
  readonly value: T;
  readonly set: (change: (now: T) => T) => void;
  /** Discards the input after it has been saved or cancelled. */
  readonly discard: () => void;
}

/** The unsaved input at a place, initialized once. While it is `isUnsaved`, the browser asks before the page is closed. */
export function useDraft<T>(key: string, initialize: () => T, isUnsaved: (value: T) => boolean): Draft<T> {
  const [value, setValue] = useState(() => (drafts.has(key) ? (drafts.get(key) as T) : initialize()));
  const confirmsLeave = isUnsaved(value) && drafts.has(key);
  useEffect(() => {
    if (!confirmsLeave) return;
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', onLeave);
    return () => removeEventListener('beforeunload', onLeave);
  }, [confirmsLeave]);
  return {
    value,
    set: (change) =>
      setValue((now) => {
        const next = change(now);
        drafts.set(key, next);
        return next;
      }),
    discard: () => void drafts.delete(key),
  };
}
