import { EmptyState, EmptyStateBody } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { BanIcon } from '@patternfly/react-icons/dist/esm/icons/ban-icon';
import { ExclamationCircleIcon } from '@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon';
import { SearchIcon } from '@patternfly/react-icons/dist/esm/icons/search-icon';
import type { ComponentType } from 'react';
import type { Failure } from '../api/failure.ts';
import { useText } from '../text/use-text.ts';
import { type FailureKind, failureKind } from './failure-kind.ts';
import { knowledgeTexts } from './knowledge-texts.ts';

const ICONS: Partial<Readonly<Record<FailureKind, ComponentType>>> = { forbidden: BanIcon, missing: SearchIcon };

export interface FailureNoticeProps {
  readonly failure: Failure;
  /** `h1` if the page has no other content. */
  readonly headingLevel?: 'h1' | 'h2';
}

/** Why there is no content: a plain explanation, and the server's message. */
export function FailureNotice({ failure, headingLevel = 'h2' }: FailureNoticeProps) {
  const t = useText(knowledgeTexts);
  const kind = failureKind(failure);
  return (
    <EmptyState titleText={t(`title.${kind}`)} icon={ICONS[kind] ?? ExclamationCircleIcon} headingLevel={headingLevel}>
      <EmptyStateBody>
        <p>{t(`why.${kind}`)}</p>
        {failure.code !== 0 && <p className="fw-quiet fw-words">{t('said', { message: failure.message })}</p>}
      </EmptyStateBody>
    </EmptyState>
  );
}
