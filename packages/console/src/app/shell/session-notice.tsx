import { Banner } from '@patternfly/react-core/dist/esm/components/Banner';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useEffect, useState } from 'react';
import { recheckSession, showSignIn, useSession } from '../../session/session.ts';
import { useLocale } from '../../text/settings.ts';
import { clockTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { setLongTimeout } from './long-timeout.ts';
import { shellTexts } from './texts.ts';

/** Enough time to finish a form or to sign in again. */
const NOTICE_MS = 5 * 60_000;
/** The server's clock is known only to the second. */
const GRACE_MS = 2_000;

/** Warns before the session ends, and checks with the server once it has ended. */
export function SessionNotice() {
  const t = useText(shellTexts);
  const locale = useLocale();
  const { endsAtMs } = useSession();
  const [isSoon, setIsSoon] = useState(false);
  useEffect(() => {
    setIsSoon(false);
    const leftMs = endsAtMs - Date.now();
    const notice = setLongTimeout(leftMs - NOTICE_MS, () => setIsSoon(true));
    const end = setLongTimeout(leftMs + GRACE_MS, () => void recheckSession().catch(() => undefined));
    return () => {
      notice();
      end();
    };
  }, [endsAtMs]);
  return (
    <div role="status" aria-live="polite">
      {isSoon && (
        <Banner status="warning">
          {t('session.soon', { time: clockTime(endsAtMs, locale) })}{' '}
          <Button variant="link" isInline onClick={showSignIn}>
            {t('session.again')}
          </Button>
        </Banner>
      )}
    </div>
  );
}
