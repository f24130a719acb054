import { Banner } from '@patternfly/react-core/dist/esm/components/Banner';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useEffect, useState } from 'react';
import { askAgain, signInEarly, useSession } from '../../session/session.ts';
import { useLanguage } from '../../text/settings.ts';
import { clockTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { shellTexts } from './texts.ts';

/** Time to finish a form, or to sign in again. */
const NOTICE_MS = 5 * 60_000;
/** The server's clock is known to the second. */
const GRACE_MS = 2_000;

/** Says that the session is about to end, and asks the server when it has. */
export function SessionNotice() {
  const say = useText(shellTexts);
  const language = useLanguage();
  const { endsAtMs } = useSession();
  const [isSoon, setIsSoon] = useState(false);
  useEffect(() => {
    setIsSoon(false);
    const leftMs = endsAtMs - Date.now();
    const notice = setTimeout(() => setIsSoon(true), Math.max(0, leftMs - NOTICE_MS));
    const end = setTimeout(() => void askAgain().catch(() => undefined), Math.max(0, leftMs) + GRACE_MS);
    return () => {
      clearTimeout(notice);
      clearTimeout(end);
    };
  }, [endsAtMs]);
  return (
    <div role="status" aria-live="polite">
      {isSoon && (
        <Banner status="warning">
          {say('session.soon', { time: clockTime(endsAtMs, language) })}{' '}
          <Button variant="link" isInline onClick={signInEarly}>
            {say('session.again')}
          </Button>
        </Banner>
      )}
    </div>
  );
}
