import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import type { ReactNode } from 'react';
import { Copyable } from '../cluster/copyable.tsx';
import { plain, plainName } from '../text/plain.ts';
import { useLocale } from '../text/settings.ts';
import { fullTime, shortTime } from '../text/time.ts';
import { useText } from '../text/use-text.ts';
import { authorizationOf, eventKey, outcomeOf } from './audit-event.ts';
import type { Filters } from './filters.ts';
import type { KeptEvent } from './kept-event.ts';
import { OutcomeOf } from './outcome.tsx';
import { activityTexts } from './texts.ts';
import { nameWords, type Place, whatWords } from './words.ts';

/** More is no story. */
const MOST_EARLIER = 50;

export interface EventDetailsProps {
  readonly event: KeptEvent;
  /** Those that are told together with it; the latest first. */
  readonly earlier: readonly KeptEvent[];
  readonly place: Place;
  readonly onNarrow: (filters: Partial<Filters>) => void;
}

/** All that is told of a request. */
export function EventDetails({ event, earlier, place, onNarrow }: EventDetailsProps) {
  const say = useText(activityTexts);
  const locale = useLocale();
  const { user, impersonatedUser, objectRef, responseStatus, sent, answered } = event;
  const { code, reason, message } = responseStatus ?? {};
  const names = [user?.username, impersonatedUser?.username].flatMap((each) => (each ? [plainName(each)] : []));
  const facts: readonly (readonly [title: string, value: ReactNode, lang?: 'en'])[] = [
    [say('details.when'), fullTime(event.requestReceivedTimestamp ?? event.stageTimestamp, locale)],
    [say('details.who'), names.join(' → ')],
    [say('column.from'), event.sourceIPs?.join(', ')],
    [say('details.client'), event.userAgent],
    [outcomeOf(event) === 'refused' ? say('details.denied') : say('details.allowed'), authorizationOf(event), 'en'],
    [say('details.answer'), [code, reason, message].filter(Boolean).join(' · '), 'en'],
    [say('details.request'), [plain(event.verb), event.requestURI].filter(Boolean).join(' '), 'en'],
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
          {say('details.auditID')}. {say('details.auditID.why')}
        </span>
        <Copyable text={plain(event.auditID)} label={say('details.auditID')} />
      </div>
      {earlier.length > 0 && <Earlier events={earlier} place={place} />}
      {sent !== undefined && <Body title={say('details.sent')} text={sent} />}
      {answered !== undefined && <Body title={say('details.answered')} text={answered} />}
      <div className="fw-actions">
        {user?.username && (
          <Button variant="link" isInline onClick={() => onNarrow({ user: user.username ?? '' })}>
            {say('details.only.who', { who: nameWords(say, user, place.reader) })}
          </Button>
        )}
        {objectRef?.name && (
          <Button variant="link" isInline onClick={() => onNarrow({ object: objectRef.name ?? '' })}>
            {say('details.only.object', { name: plainName(objectRef.name) })}
          </Button>
        )}
      </div>
    </div>
  );
}

function Earlier({ events, place }: { readonly events: readonly KeptEvent[]; readonly place: Place }) {
  const say = useText(activityTexts);
  const locale = useLocale();
  return (
    <div>
      <span className="fw-quiet">{say('details.earlier')}</span>
      <ul className="fw-activity-earlier">
        {events.slice(0, MOST_EARLIER).map((event) => (
          <li key={eventKey(event)}>
            <time dateTime={event.stageTimestamp}>{shortTime(event.stageTimestamp, locale)}</time>
            <span className="fw-words">{whatWords(say, event, place)}</span>
            <OutcomeOf event={event} />
          </li>
        ))}
      </ul>
      {events.length > MOST_EARLIER && (
        <p className="fw-quiet">{say('details.earlier.more', { count: events.length - MOST_EARLIER })}</p>
      )}
    </div>
  );
}

function Body({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <span className="fw-quiet">{title}</span>
      <Copyable text={text} label={title} isTall />
    </div>
  );
}
