import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Link } from 'wouter';
import { MaybeLink } from '../../app/maybe-link.tsx';
import type { Column } from '../../table/column.ts';
import { plainName } from '../../text/plain.ts';
import { ServerText } from '../../text/server-text.tsx';
import { isoOf } from '../../text/time.ts';
import type { Say } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { type ActionName, nameOf } from './actions.ts';
import type { stuckTexts } from './texts.ts';
import type { Trouble } from './trouble.ts';

export function stuckColumns(
  say: Say<(typeof stuckTexts)['en']>,
  ask: (trouble: Trouble, action: ActionName) => void,
): readonly Column<Trouble>[] {
  return [
    {
      key: 'since',
      title: say('column.since'),
      width: 10,
      sortBy: ({ sinceMs }) => sinceMs,
      cell: ({ sinceMs }) => <When at={isoOf(sinceMs)} />,
    },
    {
      key: 'object',
      title: say('column.object'),
      width: 15,
      sortBy: ({ kind, name }) => `${kind} ${name}`,
      cell: ({ kind, namespace, name, cluster, operation }) => (
        <div className="fw-op-two">
          <MaybeLink page="/clusters/:namespace/:name" href={`/clusters/${namespace}/${cluster}`} className="fw-name">
            {name}
          </MaybeLink>
          <span className="fw-quiet">
            {kind}
            {operation && ` · ${say('operation', operation)}`}
          </span>
        </div>
      ),
    },
    {
      key: 'project',
      title: say('column.project'),
      width: 10,
      sortBy: ({ namespace }) => namespace,
      cell: ({ namespace }) => <Link href={`/operator/projects/${namespace}`}>{namespace}</Link>,
    },
    {
      key: 'reason',
      title: say('column.reason'),
      width: 20,
      sortBy: ({ reason }) => reason,
      cell: ({ reason, turn, condition }) => (
        <div className="fw-op-two">
          <span className="fw-op-word" title={condition}>
            {reason}
          </span>
          <span className="fw-quiet">{say(`filter.${turn}`)}</span>
        </div>
      ),
    },
    {
      key: 'message',
      title: say('column.message'),
      width: 30,
      cell: ({ message }) => (
        <span className="fw-op-clamp" title={plainName(message)}>
          <ServerText text={message} />
        </span>
      ),
    },
    {
      key: 'actions',
      title: say('column.actions'),
      cell: (trouble) => (
        <span className="fw-op-actions">
          {(['retry', trouble.isPaused ? 'resume' : 'pause'] as const).map((action) => (
            <Button
              key={action}
              variant="link"
              isInline
              aria-label={say(`${action}.label`, { what: nameOf(trouble) })}
              onClick={() => ask(trouble, action)}
            >
              {say(action)}
            </Button>
          ))}
        </span>
      ),
    },
  ];
}
