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
  const t = useText(shellTexts);
  usePageTitle(t('notFound.title'));
  return (
    <EmptyState titleText={t('notFound.title')} headingLevel="h1">
      <EmptyStateBody>{t('notFound.body')}</EmptyStateBody>
      <EmptyStateFooter>
        <EmptyStateActions>
          <Link href="/">{t('notFound.home')}</Link>
        </EmptyStateActions>
      </EmptyStateFooter>
    </EmptyState>
  );
}
