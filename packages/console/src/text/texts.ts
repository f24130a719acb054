import { plainName } from './plain.ts';

/** The supported languages; every text exists in all of them. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text with `{name}` placeholders; or two forms, selected by `{count}`. */
export type Text = string | { readonly one: string; readonly other: string };

/** The English strings for a part of the console, by key. */
export type Texts = Readonly<Record<string, Text>>;

/** The strings for a part of the console in all languages, with the same keys. */
export type Catalogue<T extends Texts = Texts> = Readonly<Record<Language, Readonly<Record<keyof T, Text>>>>;

/** Declares texts; each language must have all keys. */
export function texts<T extends Texts>(
  en: T,
  translations: { readonly [L in Exclude<Language, 'en'>]: Readonly<Record<keyof T, Text>> },
): Catalogue<T> {
  return { en, ...translations };
}

/** The keys of a catalogue. */
export type KeyOf<C extends Catalogue> = keyof C['en'] & string;

export type Values = Readonly<Record<string, string | number>>;

/** Fills in the placeholders. Invisible characters in values are escaped, and numbers are formatted for `locale`. */
export function fill(text: Text, values: Values, locale: string): string {
  const form = typeof text === 'string' ? text : text[pluralForm(values['count'], locale)];
  return form.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    return typeof value === 'number' ? value.toLocaleString(locale) : plainName(value);
  });
}

function pluralForm(count: string | number | undefined, locale: string): 'one' | 'other' {
  return new Intl.PluralRules(locale).select(Number(count)) === 'one' ? 'one' : 'other';
}
