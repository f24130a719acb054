import { plainName } from '../text/plain.ts';
import { ServerText } from '../text/server-text.tsx';
import './activity.css';
import '../cluster/cluster.css';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { EmptyState, EmptyStateBody } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { SearchIcon } from '@patternfly/react-icons/dist/esm/icons/search-icon';
import { type ReactNode, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Failure } from '../api/failure.ts';
import { FailureNotice } from '../app/failure-notice.tsx';
import { useSession } from '../session/session.ts';
import { useLocale } from '../text/settings.ts';
import { clockSecond } from '../text/time.ts';
import { useText } from '../text/use-text.ts';
import type { Activity } from './activity-log.ts';
import { ActivityTable } from './activity-table.tsx';
import type { AuditUser } from './audit-event.ts';
import { FilterFields } from './filter-fields.tsx';
import { type Filters, filtersOf, isNarrowed, withFilters } from './filters.ts';
import type { KeptEvent } from './kept-event.ts';
import { peopleOf } from './person.ts';
import { activityTexts } from './texts.ts';
import { useActivityLog } from './use-activity-log.ts';

export interface ActivityViewProps {
  /** Of the list at the API. */
  readonly path: string;
  /** Of which the reader knows that all is about it. */
  readonly namespace?: string | undefined;
  /** Says what a failure means here; undefined: as everywhere. */
  readonly explain?: (failure: Failure) => ReactNode | undefined;
}

/** As many as are chosen from. */
const MOST_PEOPLE = 100;

/** Who did what: audit events, narrowed by the address of the page. */
export function ActivityView({ path, namespace, explain }: ActivityViewProps) {
  const say = useText(activityTexts);
  const { username } = useSession();
  const [address, setAddress] = useSearchParams();
  const filters = filtersOf(address);
  const change = (next: Filters) => setAddress((now) => withFilters(now, next), { replace: true });
  const { activity, refresh, older } = useActivityLog(path, filters);
  const people = usePeople(activity.events);
  const { events, failure, reading, readAtMs } = activity;
  const isRefused = failure !== undefined && reading === undefined;
  return (
    <div className="fw-activity">
      <FilterFields filters={filters} people={people} reader={username} onChange={change} />
      <ReadingState activity={activity} onRefresh={refresh} />
      {isRefused && (explain?.(failure) ?? <Refusal failure={failure} />)}
      {events.length > 0 && (
        <ActivityTable
          label={say('label')}
          events={events}
          place={{ reader: username, namespace }}
          onNarrow={(narrower) => change({ ...filters, ...narrower })}
        />
      )}
      {events.length === 0 && reading === 'newest' && failure === undefined && (
        <Spinner className="fw-page-spinner" aria-label={say('loading')} />
      )}
      {events.length === 0 && !isRefused && readAtMs !== undefined && reading === undefined && !activity.hasOlder && (
        <Nothing isNarrowed={isNarrowed(filters)} />
      )}
      {!isRefused && readAtMs !== undefined && <Older activity={activity} onOlder={older} />}
    </div>
  );
}

/** Asking again does not help: the reader has to do something else. */
function Refusal({ failure }: { readonly failure: Failure }) {
  if (failure.code === 403 || failure.code === 404) return <FailureNotice failure={failure} />;
  return <Alert isInline variant="warning" title={plainName(failure.message)} component="p" />;
}

/** Since when it is known, and what is waited for. */
function ReadingState({ activity, onRefresh }: { readonly activity: Activity; readonly onRefresh: () => void }) {
  const say = useText(activityTexts);
  const locale = useLocale();
  const { events, reading, readAtMs, failure, againAtMs } = activity;
  const isWaiting = failure !== undefined && againAtMs !== undefined;
  return (
    <div className="fw-activity-head">
      {/* Keeps the focus while it can't be used. */}
      <Button variant="secondary" size="sm" isAriaDisabled={reading !== undefined} onClick={onRefresh}>
        {say('refresh')}
      </Button>
      <span role="status" className={isWaiting ? 'fw-bad' : 'fw-quiet'}>
        {isWaiting && say(failure.code === 429 ? 'wait.busy' : 'wait.away', { time: clockSecond(againAtMs, locale) })}
        {!isWaiting && reading !== undefined && say('reading')}
        {!isWaiting &&
          reading === undefined &&
          readAtMs !== undefined &&
          `${say('read.shown', { count: events.length })} · ${say('read.at', { time: clockSecond(readAtMs, locale) })}`}
      </span>
      {isWaiting && failure.code !== 429 && <ServerText className="fw-quiet" text={failure.message} />}
    </div>
  );
}

function Older({
  activity: { events, hasOlder, isFull, reading },
  onOlder,
}: {
  readonly activity: Activity;
  readonly onOlder: () => void;
}) {
  const say = useText(activityTexts);
  if (isFull) return <p className="fw-quiet">{say('older.full')}</p>;
  if (!hasOlder) return events.length > 0 ? <p className="fw-quiet">{say('older.end')}</p> : null;
  return (
    <div className="fw-actions">
      <Button
        variant="secondary"
        isAriaDisabled={reading !== undefined}
        isLoading={reading === 'older'}
        spinnerAriaLabel={say('reading')}
        onClick={onOlder}
      >
        {say('older')}
      </Button>
      {events.length === 0 && reading === undefined && <span className="fw-quiet">{say('older.nothing')}</span>}
    </div>
  );
}

function Nothing({ isNarrowed: isMatchless }: { readonly isNarrowed: boolean }) {
  const say = useText(activityTexts);
  const key = isMatchless ? 'none.matching' : 'none.title';
  return (
    <EmptyState titleText={say(key)} icon={SearchIcon} headingLevel="h2">
      <EmptyStateBody>{say(isMatchless ? 'none.matching.body' : 'none.body')}</EmptyStateBody>
    </EmptyState>
  );
}

/** All who have been seen since the page was opened: a choice among them stays possible when one is chosen. */
function usePeople(events: readonly KeptEvent[]): ReadonlyMap<string, AuditUser> {
  const [people, setPeople] = useState<ReadonlyMap<string, AuditUser>>(new Map());
  useEffect(() => {
    setPeople((known) => {
      const all = new Map([...known, ...peopleOf(events)]);
      return all.size > known.size ? new Map([...all].slice(0, MOST_PEOPLE)) : known;
    });
  }, [events]);
  return people;
}
