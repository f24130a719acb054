import { useMemo } from 'react';
import { useLanguage } from './settings.ts';
import { type Catalogue, fill, type Texts, type Values } from './texts.ts';

/** A text by its key, filled in. */
export type Say<T extends Texts> = (key: keyof T & string, values?: Values) => string;

/** Texts in the reader's language. */
export function useText<T extends Texts>(catalogue: Catalogue<T>): Say<T> {
  const language = useLanguage();
  return useMemo(
    () =>
      (key, values = {}) =>
        fill(catalogue[language][key] ?? key, values, language),
    [catalogue, language],
  );
}
