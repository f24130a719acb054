import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Link } from 'wouter';
import { MaybeLink } from '../../app/maybe-link.tsx';
import type { Column } from '../../table/column.ts';
import { plainName } from '../../text/plain.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { isoOf } from '../../text/time.ts';
import type { Translate } from '../../text/use-text.ts';
import { type ActionName, nameOf } from './actions.ts';
import type { StuckObject } from './stuck-objects.ts';
import type { stuckTexts } from './texts.ts';

export function stuckColumns(
  t: Translate<(typeof stuckTexts)['en']>,
  requestAction: (stuckObject: StuckObject, action: ActionName) => void,
): readonly Column<StuckObject>[] {
  return [
    {
      key: 'since',
      title: t('column.since'),
      width: 10,
      sortBy: ({ sinceMs }) => sinceMs,
      cell: ({ sinceMs }) => <RelativeTime at={isoOf(sinceMs)} />,
    },
    {
      key: 'object',
      title: t('column.object'),
      width: 15,
      sortBy: ({ kind, name }) => `${kind} ${name}`,
      cell: ({ kind, namespace, name, cluster, operation }) => (
        <div className="fw-op-two">
          <MaybeLink page="/clusters/:namespace/:name" href={`/clusters/${namespace}/${cluster}`} className="fw-name">
            {name}
          </MaybeLink>
          <span className="fw-quiet">
            {kind}
            {operation && ` · ${t('operation', operation)}`}
          </span>
        </div>
      ),
    },
    {
      key: 'project',
      title: t('column.project'),
      width: 10,
      sortBy: ({ namespace }) => namespace,
      cell: ({ namespace }) => <Link href={`/operator/projects/${namespace}`}>{namespace}</Link>,
    },
    {
      key: 'reason',
      title: t('column.reason'),
      width: 20,
      sortBy: ({ reason }) => reason,
      cell: ({ reason, turn, condition }) => (
        <div className="fw-op-two">
          <span className="fw-op-word" title={condition}>
            {reason}
          </span>
          <span className="fw-quiet">{t(`filter.${turn}`)}</span>
        </div>
      ),
    },
    {
      key: 'message',
      title: t('column.message'),
      width: 30,
      cell: ({ message }) => (
        <span className="fw-op-clamp" title={plainName(message)}>
          <ServerText text={message} />
        </span>
      ),
    },
    {
      key: 'actions',
      title: t('column.actions'),
      cell: (stuckObject) => (
        <span className="fw-op-actions">
          {(['retry', stuckObject.isPaused ? 'resume' : 'pause'] as const).map((action) => (
            <Button
              key={action}
              variant="link"
              isInline
              aria-label={t(`${action}.label`, { what: nameOf(stuckObject) })}
              onClick={() => requestAction(stuckObject, action)}
            >
              {t(action)}
            </Button>
          ))}
        </span>
      ),
    },
  ];
}
