import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import type { Failure } from '../api/failure.ts';
import { ServerText } from '../text/server-text.tsx';
import { useText } from '../text/use-text.ts';
import { CONCURRENT_EDIT } from './edit.ts';
import { partTexts } from './texts.ts';

/** Why a write failed, with the server's message. */
export function WriteFailure({ failure }: { readonly failure: Failure | undefined }) {
  const t = useText(partTexts);
  if (failure === undefined) return null;
  return (
    <Alert isInline isLiveRegion variant="danger" title={t('failed')}>
      {failure.reason === CONCURRENT_EDIT ? (
        <>
          <ul className="fw-plain">
            {failure.causes.map(({ field = '', message = '' }) => (
              <li key={field} className="fw-words">
                {t('failed.meanwhile.now', { field, value: message })}
              </li>
            ))}
          </ul>
          <p>{t('failed.meanwhile')}</p>
        </>
      ) : failure.code === 0 ? (
        t('failed.unheard')
      ) : (
        <ServerText text={failure.message} />
      )}
    </Alert>
  );
}
