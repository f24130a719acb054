import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { ExclamationTriangleIcon } from '@patternfly/react-icons/dist/esm/icons/exclamation-triangle-icon';
import { useMemo, useState } from 'react';
import { events } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { Outdated } from '../../app/outdated.tsx';
import { plainName } from '../../text/plain.ts';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { eventsTexts } from './events-texts.ts';
import { ownEvents } from './own-events.ts';
import { type Chapter, storyOf } from './story.ts';
import type { TabProps } from './tab.ts';

/** More is no story. */
const MOST_SHOWN = 200;

/** What happened to the cluster, its pools and its nodes, the latest first. */
export function EventsTab({ cluster, pools }: TabProps) {
  const say = useText(eventsTexts);
  const [warningsOnly, setWarningsOnly] = useState(false);
  const snapshot = useResources(events, { namespace: cluster.metadata.namespace });
  const { items, isComplete, failure } = snapshot;
  const story = useMemo(() => storyOf(ownEvents(items, cluster, pools ?? [])), [items, cluster, pools]);
  const shown = story.filter(({ isWarning }) => isWarning || !warningsOnly).slice(0, MOST_SHOWN);
  if (failure !== undefined && !isComplete) return <FailureNotice failure={failure} />;
  return (
    <section className="fw-panel" aria-labelledby="events-title">
      <div className="fw-panel-head">
        <h2 id="events-title">{say('title')}</h2>
        <Checkbox
          id="warnings-only"
          label={say('filter')}
          isChecked={warningsOnly}
          onChange={(_event, isChecked) => setWarningsOnly(isChecked)}
        />
      </div>
      <Outdated of={[snapshot]} />
      {shown.length === 0 && isComplete && pools !== undefined && <p className="fw-quiet">{say('none')}</p>}
      <ol className="fw-story">
        {shown.map((chapter) => (
          <ChapterItem key={chapter.key} chapter={chapter} />
        ))}
      </ol>
    </section>
  );
}

function ChapterItem({
  chapter: { time, isWarning, reason, message, kind, names, count },
}: {
  readonly chapter: Chapter;
}) {
  const say = useText(eventsTexts);
  const [name = '', ...others] = names;
  const who = others.length === 0 ? name : say('names.more', { name, count: others.length });
  return (
    <li className={isWarning ? 'fw-story-warning' : undefined}>
      <div className="fw-story-head">
        <strong>{plainName(reason)}</strong>
        {isWarning && (
          <Label isCompact color="orange" icon={<ExclamationTriangleIcon />}>
            {say('warning')}
          </Label>
        )}
        <span className="fw-quiet" title={plainName(names.join(', '))}>
          {isKnown(kind) ? say(`kind.${kind}`) : plainName(kind)} {plainName(who)}
          {count > names.length && ` · ${say('times', { count })}`}
        </span>
        <span className="fw-quiet fw-story-time">
          <When at={time} />
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
