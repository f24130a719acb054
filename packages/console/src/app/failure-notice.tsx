import { EmptyState, EmptyStateBody } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { BanIcon } from '@patternfly/react-icons/dist/esm/icons/ban-icon';
import { ExclamationCircleIcon } from '@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon';
import { SearchIcon } from '@patternfly/react-icons/dist/esm/icons/search-icon';
import type { Failure } from '../api/failure.ts';
import { useText } from '../text/use-text.ts';
import { shellTexts } from './shell/texts.ts';

/** Why there is nothing to show, in the server's words and in plain ones. */
export function FailureNotice({ failure }: { readonly failure: Failure }) {
  const say = useText(shellTexts);
  const said = say('failure.said', { message: failure.message });
  switch (failure.code) {
    case 403:
      return (
        <EmptyState titleText={say('failure.forbidden.title')} icon={BanIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{say('failure.forbidden.body')}</p>
            <p className="fw-quiet">{said}</p>
          </EmptyStateBody>
        </EmptyState>
      );
    case 404:
      return (
        <EmptyState titleText={say('failure.missing.title')} icon={SearchIcon} headingLevel="h2">
          <EmptyStateBody>{said}</EmptyStateBody>
        </EmptyState>
      );
    default:
      return (
        <EmptyState titleText={say('failure.title')} icon={ExclamationCircleIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{say('failure.body')}</p>
            <p className="fw-quiet">{said}</p>
          </EmptyStateBody>
        </EmptyState>
      );
  }
}
