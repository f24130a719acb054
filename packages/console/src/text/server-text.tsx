import { plain } from './plain.ts';
import { useLanguage, useLocale } from './settings.ts';
import { withLocalTimes } from './time.ts';

/**
 * Text from the server, the cloud or other users. Its times are shown in the user's time zone, and it is marked as
 * English if the console's language is not English.
 */
export function ServerText({
  text,
  className = '',
  isCut = false,
}: {
  readonly text: string | undefined;
  readonly className?: string;
  /** Whether the style truncates long text; its tooltip then shows all of it. */
  readonly isCut?: boolean;
}) {
  const locale = useLocale();
  const isForeign = useLanguage() !== 'en';
  if (text === undefined || text === '') return null;
  const words = withLocalTimes(plain(text), locale);
  return (
    <span
      lang="en"
      dir="auto"
      className={`fw-words ${isForeign ? 'fw-foreign' : ''} ${className}`.trim()}
      title={isCut ? words : undefined}
    >
      {words}
    </span>
  );
}
