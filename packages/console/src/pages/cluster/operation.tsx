import type { Cluster } from '@fairway/api/kinds/cluster';
import { Progress } from '@patternfly/react-core/dist/esm/components/Progress';
import { useRelativeTime } from '../../text/relative-time.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { runningOperation } from '../clusters/cluster-state.ts';
import { clusterTexts } from './texts.ts';

/** The current operation and its progress; empty if there is none. */
export function Operation({ cluster }: { readonly cluster: Cluster }) {
  const t = useText(clusterTexts);
  const operation = runningOperation(cluster);
  const startedAgo = useRelativeTime(operation?.startTime, 'past');
  const until = useRelativeTime(operation?.estimatedEndTime, 'future');
  if (operation === undefined) return null;
  const { type, progress, description, steps } = operation;
  const details = [
    steps && steps.total > 0 && t('operation.steps', { done: steps.done, total: steps.total }),
    startedAgo !== '' && t('operation.started', { when: startedAgo }),
    until !== '' && t('operation.until', { when: until }),
  ].filter(Boolean);
  return (
    <section className="fw-panel" aria-label={t(`operation.${type}`)}>
      <Progress
        value={progress}
        title={t(`operation.${type}`)}
        measureLocation="outside"
        helperText={
          <>
            <ServerText text={description} />
            {details.length > 0 && <span className="fw-quiet"> · {details.join(' · ')}</span>}
          </>
        }
      />
    </section>
  );
}
