import { LANGUAGES, type Language } from './texts.ts';

/** The first of a browser's languages that the console has; English if it has none of them. */
export function languageOf(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const [base = ''] = tag.toLowerCase().split('-');
    const found = LANGUAGES.find((language) => language === base);
    if (found !== undefined) return found;
  }
  return 'en';
}
