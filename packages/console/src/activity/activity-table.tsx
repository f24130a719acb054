import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { AngleDownIcon } from '@patternfly/react-icons/dist/esm/icons/angle-down-icon';
import { AngleUpIcon } from '@patternfly/react-icons/dist/esm/icons/angle-up-icon';
import { useMemo, useState } from 'react';
import type { Column } from '../table/column.ts';
import { VirtualTable } from '../table/virtual-table.tsx';
import { plainName } from '../text/plain.ts';
import { useLocale } from '../text/settings.ts';
import { fullTime, shortTime } from '../text/time.ts';
import { useText } from '../text/use-text.ts';
import { actionText, actorText, type ReaderContext } from './activity-text.ts';
import { eventKey, isDryRun } from './audit-event.ts';
import { type Entry, groupDryRuns } from './entries.ts';
import { EventDetails } from './event-details.tsx';
import type { Filters } from './filters.ts';
import { OutcomeLabel } from './outcome.tsx';
import { activityTexts } from './texts.ts';
import type { TrimmedEvent } from './trimmed-event.ts';

export interface ActivityTableProps {
  readonly label: string;
  readonly events: readonly TrimmedEvent[];
  readonly context: ReaderContext;
  readonly onFilter: (filters: Partial<Filters>) => void;
}

/** A row, or its details in the row below if the user has opened them. */
interface Row extends Entry {
  readonly key: string;
  readonly isDetails: boolean;
  readonly isOpen: boolean;
}

/** Audit events as sentences. */
export function ActivityTable({ label, events, context, onFilter }: ActivityTableProps) {
  const t = useText(activityTexts);
  const locale = useLocale();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const entries = useMemo(() => groupDryRuns(events), [events]);
  const rows = useMemo(() => rowsOf(entries, open), [entries, open]);
  const columns: readonly Column<Row>[] = [
    {
      key: 'when',
      title: t('column.when'),
      cell: ({ event: { stageTimestamp } }) => (
        <time dateTime={stageTimestamp} title={fullTime(stageTimestamp, locale)}>
          {shortTime(stageTimestamp, locale)}
        </time>
      ),
    },
    {
      key: 'who',
      title: t('column.who'),
      width: 15,
      cell: ({ event }) => (
        <span className="fw-activity-who" title={plainName(event.user?.username ?? '')}>
          {actorText(t, event, context)}
        </span>
      ),
    },
    {
      key: 'what',
      title: t('column.what'),
      width: 30,
      cell: ({ event, earlierDryRuns }) => (
        <div className="fw-activity-what">
          <span className="fw-words">{actionText(t, event, context)}</span>
          {isDryRun(event) && (
            <Label isCompact color="purple" variant="outline">
              {earlierDryRuns.length === 0 ? t('dryRun') : t('dryRun.times', { count: earlierDryRuns.length + 1 })}
            </Label>
          )}
        </div>
      ),
    },
    { key: 'outcome', title: t('column.outcome'), width: 20, cell: ({ event }) => <OutcomeLabel event={event} /> },
    {
      key: 'from',
      title: t('column.from'),
      cell: ({ event: { sourceIPs = [] } }) =>
        sourceIPs.length > 0 ? (
          <span className="fw-activity-from">{sourceIPs.join(', ')}</span>
        ) : (
          <span className="fw-quiet fw-activity-from">{t('from.untold')}</span>
        ),
    },
    {
      key: 'details',
      title: t('column.details'),
      cell: ({ key, event, isOpen }) => {
        const summary = `${actorText(t, event, context)} ${actionText(t, event, context)}`;
        return (
          <Button
            variant="plain"
            size="sm"
            aria-expanded={isOpen}
            aria-label={isOpen ? t('details.hide', { what: summary }) : t('details.show', { what: summary })}
            icon={isOpen ? <AngleUpIcon /> : <AngleDownIcon />}
            onClick={() => setOpen(toggle(open, key))}
          />
        );
      },
    },
  ];
  return (
    <VirtualTable
      label={label}
      columns={columns}
      rows={rows}
      keyOf={({ key }) => key}
      renderFullRow={({ event, earlierDryRuns, isDetails }) =>
        isDetails ? (
          <EventDetails event={event} earlierDryRuns={earlierDryRuns} place={context} onFilter={onFilter} />
        ) : undefined
      }
    />
  );
}

function rowsOf(entries: readonly Entry[], open: ReadonlySet<string>): readonly Row[] {
  return entries.flatMap((entry) => {
    const key = eventKey(entry.event);
    const isOpen = open.has(key);
    const row = { ...entry, key, isDetails: false, isOpen };
    return isOpen ? [row, { ...row, key: `${key} details`, isDetails: true }] : [row];
  });
}

function toggle(open: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(key)) next.add(key);
  return next;
}
