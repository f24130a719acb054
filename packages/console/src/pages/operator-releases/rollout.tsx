import type { RolloutStatus } from '@fairway/api/kinds/rollout';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Progress } from '@patternfly/react-core/dist/esm/components/Progress';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { MaybeLink } from '../../app/maybe-link.tsx';
import { type DisplayState, StateLabel } from '../../app/state-label.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import type { RolloutActionName } from './actions.ts';
import { releasesTexts } from './texts.ts';

export interface RolloutProps {
  readonly minor: string;
  readonly title: string;
  readonly rollout: RolloutStatus;
  /** Without it, no actions are offered. */
  readonly onAction?: (action: RolloutActionName) => void;
}

const STATES: Readonly<Record<RolloutStatus['state'], DisplayState>> = {
  Canaries: 'progress',
  Rolling: 'progress',
  Halted: 'attention',
  Paused: 'asleep',
  Complete: 'ready',
};
const MAX_FAILED_SHOWN = 20;

/** The progress of a rollout, why it is halted, and the available actions. */
export function Rollout({ minor, title, rollout, onAction }: RolloutProps) {
  const t = useText(releasesTexts);
  const { state, updated, total, waiting, moving, failed } = rollout;
  const actions: readonly RolloutActionName[] = [
    ...(failed.length > 0 ? (['retry'] as const) : []),
    ...(state === 'Complete' ? [] : ([state === 'Paused' ? 'resume' : 'pause'] as const)),
  ];
  return (
    <section className="fw-op-rollout" aria-label={title}>
      <h3 className="fw-op-card-title">
        {title}
        <StateLabel state={STATES[state]}>{t(`rollout.${state}`)}</StateLabel>
        {onAction && (
          <span className="fw-op-actions">
            {actions.map((action) => (
              <Button
                key={action}
                variant={action === 'retry' ? 'secondary' : 'link'}
                size="sm"
                aria-label={t(`${action}.label`, { minor })}
                onClick={() => onAction(action)}
              >
                {t(action)}
              </Button>
            ))}
          </span>
        )}
      </h3>
      <Progress
        value={total === 0 ? 100 : Math.round((updated / total) * 100)}
        size="sm"
        measureLocation="outside"
        aria-label={`${title}: ${t('rollout.progress', { updated, total })}`}
        {...(state === 'Halted' && { variant: 'warning' as const })}
      />
      <p className="fw-quiet">
        {t('rollout.progress', { updated, total })}
        {state !== 'Complete' && ` · ${t('rollout.counts', { moving: moving.length, waiting, failed: failed.length })}`}
      </p>
      {failed.length > 0 && (
        <Table aria-label={t('failed.label')} variant="compact" gridBreakPoint="grid-md" borders={false}>
          <Thead>
            <Tr>
              <Th width={25}>{t('failed.cluster')}</Th>
              <Th width={15}>{t('failed.since')}</Th>
              <Th>{t('failed.message')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {failed.slice(0, MAX_FAILED_SHOWN).map(({ namespace, name, uid, since, message }) => (
              <Tr key={uid}>
                <Td dataLabel={t('failed.cluster')}>
                  <MaybeLink page="/clusters/:namespace/:name" href={`/clusters/${namespace}/${name}`}>
                    {namespace}/{name}
                  </MaybeLink>
                </Td>
                <Td dataLabel={t('failed.since')}>
                  <RelativeTime at={since} />
                </Td>
                <Td dataLabel={t('failed.message')}>
                  <ServerText text={message} />
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </section>
  );
}
