import { useSyncExternalStore } from 'react';
import { languageOf } from './language.ts';
import { LANGUAGES, type Language } from './texts.ts';

/** A choice of the reader that this browser keeps. */
export interface Choice<T extends string> {
  readonly get: () => T | undefined;
  readonly set: (value: T | undefined) => void;
  readonly subscribe: (onChange: () => void) => () => void;
}

/** A choice among `values`; undefined while none has been made. Where a browser keeps nothing, it lasts until the page is left. */
export function keptChoice<T extends string>(key: string, values: readonly T[]): Choice<T> {
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

export function useChoice<T extends string>(choice: Choice<T>): T | undefined {
  return useSyncExternalStore(choice.subscribe, choice.get);
}

export const chosenLanguage = keptChoice<Language>('fairway.language', LANGUAGES);

export function useLanguage(): Language {
  return useChoice(chosenLanguage) ?? languageOf(navigator.languages);
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
    // A browser that keeps nothing for the page.
  }
}
