import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { BanIcon } from '@patternfly/react-icons/dist/esm/icons/ban-icon';
import { CheckIcon } from '@patternfly/react-icons/dist/esm/icons/check-icon';
import { ExclamationCircleIcon } from '@patternfly/react-icons/dist/esm/icons/exclamation-circle-icon';
import { QuestionCircleIcon } from '@patternfly/react-icons/dist/esm/icons/question-circle-icon';
import type { ReactNode } from 'react';
import { ServerText } from '../text/server-text.tsx';
import { useText } from '../text/use-text.ts';
import { type AuditEvent, type Outcome, outcomeOf } from './audit-event.ts';
import { activityTexts } from './texts.ts';

const STYLES: Readonly<
  Record<Outcome, { readonly color: 'grey' | 'orange' | 'red' | 'blue'; readonly icon: ReactNode }>
> = {
  done: { color: 'grey', icon: <CheckIcon /> },
  refused: { color: 'orange', icon: <BanIcon /> },
  failed: { color: 'red', icon: <ExclamationCircleIcon /> },
  unknown: { color: 'blue', icon: <QuestionCircleIcon /> },
};

/** The outcome of a request as text, icon and colour, with the reason for a failure. */
export function OutcomeLabel({ event }: { readonly event: AuditEvent }) {
  const t = useText(activityTexts);
  const outcome = outcomeOf(event);
  const { reason, message = reason } = event.responseStatus ?? {};
  return (
    <div className="fw-outcome">
      <Label isCompact variant="outline" color={STYLES[outcome].color} icon={STYLES[outcome].icon}>
        {t(`outcome.${outcome}`)}
      </Label>
      {outcome === 'unknown' && <span className="fw-quiet">{t('outcome.unknown.why')}</span>}
      {(outcome === 'refused' || outcome === 'failed') && message !== undefined && (
        <ServerText className="fw-outcome-why" text={message} isCut />
      )}
    </div>
  );
}
