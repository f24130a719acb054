import { useEffect, useState } from 'react';

/** Unsaved input by place, so that users who leave a form and return find it. Only in this page's memory. */
const drafts = new Map<string, unknown>();

/** The next user to sign in may be another. */
export function forgetDrafts(): void {
  drafts.clear();
}

export interface Draft<T> {
  readonly value: T;
  readonly set: (change: (now: T) => T) => void;
  /** Discards it, after it has been saved or cancelled. */
  readonly forget: () => void;
}

/** The unsaved input at a place, initialized once. While it is `isUnsaved`, the browser asks before the page is closed. */
export function useDraft<T>(key: string, begin: () => T, isUnsaved: (value: T) => boolean): Draft<T> {
  const [value, setValue] = useState(() => (drafts.has(key) ? (drafts.get(key) as T) : begin()));
  const asks = isUnsaved(value) && drafts.has(key);
  useEffect(() => {
    if (!asks) return;
    const onLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', onLeave);
    return () => removeEventListener('beforeunload', onLeave);
  }, [asks]);
  return {
    value,
    set: (change) =>
      setValue((now) => {
        const next = change(now);
        drafts.set(key, next);
        return next;
      }),
    forget: () => void drafts.delete(key),
  };
}
