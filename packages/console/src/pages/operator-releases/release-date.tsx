import { useLocale } from '../../text/settings.ts';
import { day } from '../../text/time.ts';

/** An upstream date, regardless of the user's time zone. */
export function ReleaseDate({ on }: { readonly on: string | undefined }) {
  const locale = useLocale();
  return on === undefined ? '–' : <time dateTime={on}>{day(on, locale, 'UTC')}</time>;
}
