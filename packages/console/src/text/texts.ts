/** Languages that all texts are in. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text with `{name}` for what is filled in; or two, for one and for other numbers of `{count}`. */
export type Text = string | { readonly one: string; readonly other: string };

/** The texts of a part of the console by key, in English. */
export type Texts = Readonly<Record<string, Text>>;

/** The texts of a part of the console in all languages: those of the others have the keys of the English ones. */
export type Catalogue<T extends Texts = Texts> = Readonly<Record<Language, Readonly<Record<keyof T, Text>>>>;

/** Declares texts; each language has to have all. */
export function texts<T extends Texts>(
  en: T,
  others: { readonly [L in Exclude<Language, 'en'>]: Readonly<Record<keyof T, Text>> },
): Catalogue<T> {
  return { en, ...others };
}

/** The keys of a catalogue. */
export type KeyOf<C extends Catalogue> = keyof C['en'] & string;

export type Values = Readonly<Record<string, string | number>>;

/** Fills a text in. Numbers are written as the language writes them. */
export function fill(text: Text, values: Values, language: Language): string {
  const form = typeof text === 'string' ? text : text[pluralOf(values['count'], language)];
  return form.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? value.toLocaleString(language) : value;
  });
}

function pluralOf(count: string | number | undefined, language: Language): 'one' | 'other' {
  return new Intl.PluralRules(language).select(Number(count)) === 'one' ? 'one' : 'other';
}
