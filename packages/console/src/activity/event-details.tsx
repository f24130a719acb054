import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import type { ReactNode } from 'react';
import { Copyable } from '../cluster/copyable.tsx';
import { plain, plainName } from '../text/plain.ts';
import { useLocale } from '../text/settings.ts';
import { fullTime, shortTime } from '../text/time.ts';
import { useText } from '../text/use-text.ts';
import { actionText, type ReaderContext, userText } from './activity-text.ts';
import { authorizationReason, eventKey, outcomeOf } from './audit-event.ts';
import type { Filters } from './filters.ts';
import { OutcomeLabel } from './outcome.tsx';
import { activityTexts } from './texts.ts';
import type { TrimmedEvent } from './trimmed-event.ts';

/** Additional dry runs are not displayed. */
const MAX_EARLIER_DRY_RUNS = 50;

export interface EventDetailsProps {
  readonly event: TrimmedEvent;
  /** Dry runs in the same group, latest first. */
  readonly earlierDryRuns: readonly TrimmedEvent[];
  readonly place: ReaderContext;
  readonly onFilter: (filters: Partial<Filters>) => void;
}

/** All details of a request. */
export function EventDetails({ event, earlierDryRuns, place, onFilter }: EventDetailsProps) {
  const t = useText(activityTexts);
  const locale = useLocale();
  const { user, impersonatedUser, objectRef, responseStatus, requestBody, responseBody } = event;
  const { code, reason, message } = responseStatus ?? {};
  const names = [user?.username, impersonatedUser?.username].flatMap((each) => (each ? [plainName(each)] : []));
  const facts: readonly (readonly [title: string, value: ReactNode, lang?: 'en'])[] = [
    [t('details.when'), fullTime(event.requestReceivedTimestamp ?? event.stageTimestamp, locale)],
    [t('details.who'), names.join(' → ')],
    [t('column.from'), event.sourceIPs?.join(', ')],
    [t('details.client'), event.userAgent],
    [outcomeOf(event) === 'refused' ? t('details.denied') : t('details.allowed'), authorizationReason(event), 'en'],
    [t('details.answer'), [code, reason, message].filter(Boolean).join(' · '), 'en'],
    [t('details.request'), [plain(event.verb), event.requestURI].filter(Boolean).join(' '), 'en'],
  ];
  return (
    <div className="fw-activity-details">
      <dl className="fw-facts">
        {facts
          .filter(([, value]) => value !== undefined && value !== '')
          .map(([title, value, lang]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd lang={lang}>{value}</dd>
            </div>
          ))}
      </dl>
      <div>
        <span className="fw-quiet">
          {t('details.auditID')}. {t('details.auditID.why')}
        </span>
        <Copyable text={plain(event.auditID)} label={t('details.auditID')} />
      </div>
      {earlierDryRuns.length > 0 && <EarlierDryRuns events={earlierDryRuns} place={place} />}
      {requestBody !== undefined && <BodySection title={t('details.sent')} text={requestBody} />}
      {responseBody !== undefined && <BodySection title={t('details.answered')} text={responseBody} />}
      <div className="fw-actions">
        {user?.username && (
          <Button variant="link" isInline onClick={() => onFilter({ user: user.username ?? '' })}>
            {t('details.only.who', { who: userText(t, user, place.reader) })}
          </Button>
        )}
        {objectRef?.name && (
          <Button variant="link" isInline onClick={() => onFilter({ object: objectRef.name ?? '' })}>
            {t('details.only.object', { name: plainName(objectRef.name) })}
          </Button>
        )}
      </div>
    </div>
  );
}

function EarlierDryRuns({
  events,
  place,
}: {
  readonly events: readonly TrimmedEvent[];
  readonly place: ReaderContext;
}) {
  const t = useText(activityTexts);
  const locale = useLocale();
  return (
    <div>
      <span className="fw-quiet">{t('details.earlier')}</span>
      <ul className="fw-activity-earlier">
        {events.slice(0, MAX_EARLIER_DRY_RUNS).map((event) => (
          <li key={eventKey(event)}>
            <time dateTime={event.stageTimestamp}>{shortTime(event.stageTimestamp, locale)}</time>
            <span className="fw-words">{actionText(t, event, place)}</span>
            <OutcomeLabel event={event} />
          </li>
        ))}
      </ul>
      {events.length > MAX_EARLIER_DRY_RUNS && (
        <p className="fw-quiet">{t('details.earlier.more', { count: events.length - MAX_EARLIER_DRY_RUNS })}</p>
      )}
    </div>
  );
}

function BodySection({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <span className="fw-quiet">{title}</span>
      <Copyable text={text} label={title} isTall />
    </div>
  );
}
