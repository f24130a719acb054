import { Banner } from '@patternfly/react-core/dist/esm/components/Banner';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useEffect, useState } from 'react';
import { askAgain, signInEarly, useSession } from '../../session/session.ts';
import { useLocale } from '../../text/settings.ts';
import { clockTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { afterLong } from './after-long.ts';
import { shellTexts } from './texts.ts';

/** Enough time to finish a form or to sign in again. */
const NOTICE_MS = 5 * 60_000;
/** The server's clock is known only to the second. */
const GRACE_MS = 2_000;

/** Warns before the session ends, and asks the server once it has. */
export function SessionNotice() {
  const say = useText(shellTexts);
  const locale = useLocale();
  const { endsAtMs } = useSession();
  const [isSoon, setIsSoon] = useState(false);
  useEffect(() => {
    setIsSoon(false);
    const leftMs = endsAtMs - Date.now();
    const notice = afterLong(leftMs - NOTICE_MS, () => setIsSoon(true));
    const end = afterLong(leftMs + GRACE_MS, () => void askAgain().catch(() => undefined));
    return () => {
      notice();
      end();
    };
  }, [endsAtMs]);
  return (
    <div role="status" aria-live="polite">
      {isSoon && (
        <Banner status="warning">
          {say('session.soon', { time: clockTime(endsAtMs, locale) })}{' '}
          <Button variant="link" isInline onClick={signInEarly}>
            {say('session.again')}
          </Button>
        </Banner>
      )}
    </div>
  );
}
