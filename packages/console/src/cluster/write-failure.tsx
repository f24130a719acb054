import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import type { Failure } from '../api/failure.ts';
import { useText } from '../text/use-text.ts';
import { partTexts } from './texts.ts';

/** Why something was not done, in the server's words. */
export function WriteFailure({ failure }: { readonly failure: Failure | undefined }) {
  const say = useText(partTexts);
  if (failure === undefined) return null;
  return (
    <Alert isInline isLiveRegion variant="danger" title={say('failed')}>
      {failure.code === 0 ? say('failed.unheard') : <span lang="en">{failure.message}</span>}
    </Alert>
  );
}
