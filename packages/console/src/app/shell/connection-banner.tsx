import { Banner } from '@patternfly/react-core/dist/esm/components/Banner';
import { useEffect, useState } from 'react';
import { connection, useConnection } from '../../api/connection.ts';
import { useLocale } from '../../text/settings.ts';
import { clockSecond } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { shellTexts } from './texts.ts';

/** Shorter interruptions are not displayed. */
const SHOW_AFTER_MS = 1_500;
const HIDE_AFTER_MS = 5_000;

/** Announces that the server is unreachable, and that it is back. A live region, because nothing else on the page changes. */
export function ConnectionBanner() {
  const t = useText(shellTexts);
  const locale = useLocale();
  const current = useConnection();
  const lostSinceMs = current.state === 'lost' ? current.sinceMs : 0;
  const [shown, setShown] = useState<'lost' | 'back'>();
  useEffect(() => {
    if (current.state === 'ok') return setShown(undefined);
    if (current.state === 'lost') {
      const timer = setTimeout(() => setShown('lost'), SHOW_AFTER_MS);
      return () => clearTimeout(timer);
    }
    setShown((before) => (before === 'lost' ? 'back' : undefined));
    const timer = setTimeout(() => connection.acknowledge(), HIDE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [current]);
  return (
    <div role="status" aria-live="polite">
      {shown === 'lost' && current.state === 'lost' && (
        <Banner status="danger">{t('connection.lost', { time: clockSecond(lostSinceMs, locale) })}</Banner>
      )}
      {shown === 'back' && <Banner status="success">{t('connection.back')}</Banner>}
    </div>
  );
}
