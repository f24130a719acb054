import { LANGUAGES, type Language } from './texts.ts';

/** The first of a browser's languages that the console supports; otherwise English. */
export function languageOf(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const [base = ''] = tag.toLowerCase().split('-');
    const found = LANGUAGES.find((language) => language === base);
    if (found !== undefined) return found;
  }
  return 'en';
}

/**
 * The browser's variant of a language, such as `en-GB`. If the browser does not list the language, its first region is
 * used: `en-FR` formats dates and numbers as in France.
 */
export function localeOf(language: Language, preferred: readonly string[]): string {
  const locales = preferred.flatMap(parsed);
  const browserLocale = locales.find((locale) => locale.language === language);
  if (browserLocale !== undefined) return browserLocale.toString();
  const region = locales.find((locale) => locale.region !== undefined)?.region;
  return region === undefined ? language : `${language}-${region}`;
}

function parsed(tag: string): readonly Intl.Locale[] {
  try {
    return [new Intl.Locale(tag)];
  } catch {
    return [];
  }
}
