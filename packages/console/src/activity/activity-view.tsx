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
import { peopleOf } from './audit-user.ts';
import { FilterFields } from './filter-fields.tsx';
import { type Filters, filtersOf, hasFilters, withFilters } from './filters.ts';
import { activityTexts } from './texts.ts';
import type { TrimmedEvent } from './trimmed-event.ts';
import { useActivityLog } from './use-activity-log.ts';

export interface ActivityViewProps {
  /** Path of the list in the API. */
  readonly path: string;
  /** The namespace that all events are in, so it is omitted from the sentences. */
  readonly namespace?: string | undefined;
  /** Explains a failure on this page; undefined: the default explanation. */
  readonly explain?: (failure: Failure) => ReactNode | undefined;
}

/** The maximum number of users to choose from. */
const MAX_USERS = 100;

/** Audit events, filtered by the query of the page's URL. */
export function ActivityView({ path, namespace, explain }: ActivityViewProps) {
  const t = useText(activityTexts);
  const { username } = useSession();
  const [address, setAddress] = useSearchParams();
  const filters = filtersOf(address);
  const change = (next: Filters) => setAddress((now) => withFilters(now, next), { replace: true });
  const { activity, refresh, older } = useActivityLog(path, filters);
  const users = useUsers(activity.events);
  const { events, failure, reading, readAtMs } = activity;
  const isRefused = failure !== undefined && reading === undefined;
  return (
    <div className="fw-activity">
      <FilterFields filters={filters} people={users} reader={username} onChange={change} />
      <ReadStatus activity={activity} onRefresh={refresh} />
      {isRefused && (explain?.(failure) ?? <RefusalNotice failure={failure} />)}
      {events.length > 0 && (
        <ActivityTable
          label={t('label')}
          events={events}
          context={{ reader: username, namespace }}
          onFilter={(newFilters) => change({ ...filters, ...newFilters })}
        />
      )}
      {events.length === 0 && reading === 'newest' && failure === undefined && (
        <Spinner className="fw-page-spinner" aria-label={t('loading')} />
      )}
      {events.length === 0 && !isRefused && readAtMs !== undefined && reading === undefined && !activity.hasOlder && (
        <EmptyActivity isNarrowed={hasFilters(filters)} />
      )}
      {!isRefused && readAtMs !== undefined && <OlderButton activity={activity} onOlder={older} />}
    </div>
  );
}

/** Retrying is pointless: the reader must do something else. */
function RefusalNotice({ failure }: { readonly failure: Failure }) {
  if (failure.code === 403 || failure.code === 404) return <FailureNotice failure={failure} />;
  return <Alert isInline variant="warning" title={plainName(failure.message)} component="p" />;
}

/** When the events were read, and what is pending. */
function ReadStatus({ activity, onRefresh }: { readonly activity: Activity; readonly onRefresh: () => void }) {
  const t = useText(activityTexts);
  const locale = useLocale();
  const { events, reading, readAtMs, failure, retryAtMs } = activity;
  const isWaiting = failure !== undefined && retryAtMs !== undefined;
  return (
    <div className="fw-activity-head">
      {/* Keeps the focus while the button is disabled. */}
      <Button variant="secondary" size="sm" isAriaDisabled={reading !== undefined} onClick={onRefresh}>
        {t('refresh')}
      </Button>
      <span role="status" className={isWaiting ? 'fw-bad' : 'fw-quiet'}>
        {isWaiting && t(failure.code === 429 ? 'wait.busy' : 'wait.away', { time: clockSecond(retryAtMs, locale) })}
        {!isWaiting && reading !== undefined && t('reading')}
        {!isWaiting &&
          reading === undefined &&
          readAtMs !== undefined &&
          `${t('read.shown', { count: events.length })} · ${t('read.at', { time: clockSecond(readAtMs, locale) })}`}
      </span>
      {isWaiting && failure.code !== 429 && <ServerText className="fw-quiet" text={failure.message} />}
    </div>
  );
}

function OlderButton({
  activity: { events, hasOlder, isFull, reading },
  onOlder,
}: {
  readonly activity: Activity;
  readonly onOlder: () => void;
}) {
  const t = useText(activityTexts);
  if (isFull) return <p className="fw-quiet">{t('older.full')}</p>;
  if (!hasOlder) return events.length > 0 ? <p className="fw-quiet">{t('older.end')}</p> : null;
  return (
    <div className="fw-actions">
      <Button
        variant="secondary"
        isAriaDisabled={reading !== undefined}
        isLoading={reading === 'older'}
        spinnerAriaLabel={t('reading')}
        onClick={onOlder}
      >
        {t('older')}
      </Button>
      {events.length === 0 && reading === undefined && <span className="fw-quiet">{t('older.nothing')}</span>}
    </div>
  );
}

function EmptyActivity({ isNarrowed: hasFilters }: { readonly isNarrowed: boolean }) {
  const t = useText(activityTexts);
  const key = hasFilters ? 'none.matching' : 'none.title';
  return (
    <EmptyState titleText={t(key)} icon={SearchIcon} headingLevel="h2">
      <EmptyStateBody>{t(hasFilters ? 'none.matching.body' : 'none.body')}</EmptyStateBody>
    </EmptyState>
  );
}

/** All users seen since the page was opened, so that other users can still be selected after a filter is set. */
function useUsers(events: readonly TrimmedEvent[]): ReadonlyMap<string, AuditUser> {
  const [users, setUsers] = useState<ReadonlyMap<string, AuditUser>>(new Map());
  useEffect(() => {
    setUsers((known) => {
      const all = new Map([...known, ...peopleOf(events)]);
      return all.size > known.size ? new Map([...all].slice(0, MAX_USERS)) : known;
    });
  }, [events]);
  return users;
}
