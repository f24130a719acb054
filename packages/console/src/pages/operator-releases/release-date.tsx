import { useLanguage } from '../../text/settings.ts';
import { day } from '../../text/time.ts';

/** A day as it is upstream, wherever the reader is. */
export function ReleaseDate({ on }: { readonly on: string | undefined }) {
  const language = useLanguage();
  return on === undefined ? '–' : <time dateTime={on}>{day(on, language, 'UTC')}</time>;
}
