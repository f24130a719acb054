import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { ExclamationTriangleIcon } from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import { useMemo, useState } from 'react';
import { events } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { OutdatedNotice } from '../../app/outdated-notice.tsx';
import { plainName } from '../../text/plain.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { clusterEvents } from './cluster-events.ts';
import { type EventGroup, groupEvents } from './event-groups.ts';
import { eventsTexts } from './events-texts.ts';
import type { TabProps } from './tab.ts';

/** Additional events are not displayed. */
const MAX_SHOWN = 200;

/** Events for the cluster, its pools and its nodes, latest first. */
export function EventsTab({ cluster, pools }: TabProps) {
  const t = useText(eventsTexts);
  const [warningsOnly, setWarningsOnly] = useState(false);
  const snapshot = useResources(events, { namespace: cluster.metadata.namespace });
  const { items, isComplete, failure } = snapshot;
  const eventGroups = useMemo(() => groupEvents(clusterEvents(items, cluster, pools ?? [])), [items, cluster, pools]);
  const shown = eventGroups.filter(({ isWarning }) => isWarning || !warningsOnly).slice(0, MAX_SHOWN);
  if (failure !== undefined && !isComplete) return <FailureNotice failure={failure} />;
  return (
    <section className="fw-panel" aria-labelledby="events-title">
      <div className="fw-panel-head">
        <h2 id="events-title">{t('title')}</h2>
        <Checkbox
          id="warnings-only"
          label={t('filter')}
          isChecked={warningsOnly}
          onChange={(_event, isChecked) => setWarningsOnly(isChecked)}
        />
      </div>
      <OutdatedNotice of={[snapshot]} />
      {shown.length === 0 && isComplete && pools !== undefined && <p className="fw-quiet">{t('none')}</p>}
      <ol className="fw-story">
        {shown.map((group) => (
          <EventGroupItem key={group.key} group={group} />
        ))}
      </ol>
    </section>
  );
}

function EventGroupItem({
  group: { time, isWarning, reason, message, kind, names, count },
}: {
  readonly group: EventGroup;
}) {
  const t = useText(eventsTexts);
  const [name = '', ...others] = names;
  const who = others.length === 0 ? name : t('names.more', { name, count: others.length });
  return (
    <li className={isWarning ? 'fw-story-warning' : undefined}>
      <div className="fw-story-head">
        <strong>{plainName(reason)}</strong>
        {isWarning && (
          <Label isCompact color="orange" icon={<ExclamationTriangleIcon />}>
            {t('warning')}
          </Label>
        )}
        <span className="fw-quiet" title={plainName(names.join(', '))}>
          {isKnown(kind) ? t(`kind.${kind}`) : plainName(kind)} {plainName(who)}
          {count > names.length && ` · ${t('times', { count })}`}
        </span>
        <span className="fw-quiet fw-story-time">
          <RelativeTime at={time} />
        </span>
      </div>
      <p>
        <ServerText text={message} />
      </p>
    </li>
  );
}

function isKnown(kind: string): kind is 'Cluster' | 'NodePool' | 'Machine' {
  return kind === 'Cluster' || kind === 'NodePool' || kind === 'Machine';
}
