import { useLocale } from '../../text/settings.ts';
import { day } from '../../text/time.ts';

/** A day as it is upstream, wherever the reader is. */
export function ReleaseDate({ on }: { readonly on: string | undefined }) {
  const locale = useLocale();
  return on === undefined ? '–' : <time dateTime={on}>{day(on, locale, 'UTC')}</time>;
}
