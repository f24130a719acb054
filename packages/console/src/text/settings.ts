import { useSyncExternalStore } from 'react';
import { languageOf, localeOf } from './language.ts';
import { LANGUAGES, type Language } from './texts.ts';

/** A preference that this browser stores. */
export interface Choice<T extends string> {
  readonly get: () => T | undefined;
  readonly set: (value: T | undefined) => void;
  readonly subscribe: (onChange: () => void) => () => void;
}

/**
 * A preference among `values`; undefined until it is set. If the browser stores nothing, the preference lasts until the
 * page is closed.
 */
export function persistentChoice<T extends string>(key: string, values: readonly T[]): Choice<T> {
  const listeners = new Set<() => void>();
  let current = values.find((value) => value === read(key));
  return {
    get: () => current,
    set(value) {
      current = value;
      write(key, value);
      for (const listener of listeners) listener();
    },
    subscribe(onChange) {
      listeners.add(onChange);
      return () => void listeners.delete(onChange);
    },
  };
}

export function usePersistentChoice<T extends string>(choice: Choice<T>): T | undefined {
  return useSyncExternalStore(choice.subscribe, choice.get);
}

export const selectedLanguage = persistentChoice<Language>('fairway.language', LANGUAGES);

export function useLanguage(): Language {
  return usePersistentChoice(selectedLanguage) ?? languageOf(navigator.languages);
}

/** The locale for dates and numbers. */
export function useLocale(): string {
  return localeOf(useLanguage(), navigator.languages);
}

function read(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // The browser blocks storage for this page.
  }
}
