import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import type { Failure } from '../api/failure.ts';
import { ServerText } from '../text/server-text.tsx';
import { useText } from '../text/use-text.ts';
import { EDITED_MEANWHILE } from './edit.ts';
import { partTexts } from './texts.ts';

/** Why a write failed, in the server's words. */
export function WriteFailure({ failure }: { readonly failure: Failure | undefined }) {
  const say = useText(partTexts);
  if (failure === undefined) return null;
  return (
    <Alert isInline isLiveRegion variant="danger" title={say('failed')}>
      {failure.reason === EDITED_MEANWHILE ? (
        <>
          <ul className="fw-plain">
            {failure.causes.map(({ field = '', message = '' }) => (
              <li key={field} className="fw-words">
                {say('failed.meanwhile.now', { field, value: message })}
              </li>
            ))}
          </ul>
          <p>{say('failed.meanwhile')}</p>
        </>
      ) : failure.code === 0 ? (
        say('failed.unheard')
      ) : (
        <ServerText text={failure.message} />
      )}
    </Alert>
  );
}
