import {
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
} from '@patternfly/react-core/dist/esm/components/EmptyState';
import { Link } from 'wouter';
import { useText } from '../../text/use-text.ts';
import { usePageTitle } from '../page-title.ts';
import { shellTexts } from './texts.ts';

export function NotFound() {
  const say = useText(shellTexts);
  usePageTitle(say('notFound.title'));
  return (
    <EmptyState titleText={say('notFound.title')} headingLevel="h1">
      <EmptyStateBody>{say('notFound.body')}</EmptyStateBody>
      <EmptyStateFooter>
        <EmptyStateActions>
          <Link href="/">{say('notFound.home')}</Link>
        </EmptyStateActions>
      </EmptyStateFooter>
    </EmptyState>
  );
}
