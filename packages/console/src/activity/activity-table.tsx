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
import { eventKey, isDryRun } from './audit-event.ts';
import { type Entry, entriesOf } from './entries.ts';
import { EventDetails } from './event-details.tsx';
import type { Filters } from './filters.ts';
import type { KeptEvent } from './kept-event.ts';
import { OutcomeOf } from './outcome.tsx';
import { activityTexts } from './texts.ts';
import { type Place, whatWords, whoWords } from './words.ts';

export interface ActivityTableProps {
  readonly label: string;
  readonly events: readonly KeptEvent[];
  readonly place: Place;
  readonly onNarrow: (filters: Partial<Filters>) => void;
}

/** A row; or, below it, what is told of it when somebody has asked for that. */
interface Row extends Entry {
  readonly key: string;
  readonly isDetails: boolean;
  readonly isOpen: boolean;
}

/** What was done, as sentences. */
export function ActivityTable({ label, events, place, onNarrow }: ActivityTableProps) {
  const say = useText(activityTexts);
  const locale = useLocale();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const entries = useMemo(() => entriesOf(events), [events]);
  const rows = useMemo(() => rowsOf(entries, open), [entries, open]);
  const columns: readonly Column<Row>[] = [
    {
      key: 'when',
      title: say('column.when'),
      cell: ({ event: { stageTimestamp } }) => (
        <time dateTime={stageTimestamp} title={fullTime(stageTimestamp, locale)}>
          {shortTime(stageTimestamp, locale)}
        </time>
      ),
    },
    {
      key: 'who',
      title: say('column.who'),
      width: 15,
      cell: ({ event }) => (
        <span className="fw-activity-who" title={plainName(event.user?.username ?? '')}>
          {whoWords(say, event, place)}
        </span>
      ),
    },
    {
      key: 'what',
      title: say('column.what'),
      width: 30,
      cell: ({ event, earlier }) => (
        <div className="fw-activity-what">
          <span className="fw-words">{whatWords(say, event, place)}</span>
          {isDryRun(event) && (
            <Label isCompact color="purple" variant="outline">
              {earlier.length === 0 ? say('dryRun') : say('dryRun.times', { count: earlier.length + 1 })}
            </Label>
          )}
        </div>
      ),
    },
    { key: 'outcome', title: say('column.outcome'), width: 20, cell: ({ event }) => <OutcomeOf event={event} /> },
    {
      key: 'from',
      title: say('column.from'),
      cell: ({ event: { sourceIPs = [] } }) =>
        sourceIPs.length > 0 ? (
          <span className="fw-activity-from">{sourceIPs.join(', ')}</span>
        ) : (
          <span className="fw-quiet fw-activity-from">{say('from.untold')}</span>
        ),
    },
    {
      key: 'details',
      title: say('column.details'),
      cell: ({ key, event, isOpen }) => {
        const what = `${whoWords(say, event, place)} ${whatWords(say, event, place)}`;
        return (
          <Button
            variant="plain"
            size="sm"
            aria-expanded={isOpen}
            aria-label={isOpen ? say('details.hide', { what }) : say('details.show', { what })}
            icon={isOpen ? <AngleUpIcon /> : <AngleDownIcon />}
            onClick={() => setOpen(toggled(open, key))}
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
      whole={({ event, earlier, isDetails }) =>
        isDetails ? <EventDetails event={event} earlier={earlier} place={place} onNarrow={onNarrow} /> : undefined
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

function toggled(open: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(key)) next.add(key);
  return next;
}
