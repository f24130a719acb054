import { useMemo } from 'react';
import { useLanguage, useLocale } from './settings.ts';
import { type Catalogue, fill, type Texts, type Values } from './texts.ts';

/** Returns a text by its key, with its placeholders filled in. */
export type Translate<T extends Texts> = (key: keyof T & string, values?: Values) => string;

/** Texts in the user's language. */
export function useText<T extends Texts>(catalogue: Catalogue<T>): Translate<T> {
  const language = useLanguage();
  const locale = useLocale();
  return useMemo(
    () =>
      (key, values = {}) =>
        fill(catalogue[language][key] ?? key, values, locale),
    [catalogue, language, locale],
  );
}
