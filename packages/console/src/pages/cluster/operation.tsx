import type { Cluster } from '@fairway/api/kinds/cluster';
import { Progress } from '@patternfly/react-core/dist/esm/components/Progress';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { useRelativeTime } from '../../text/when.tsx';
import { runningOperation } from '../clusters/cluster-state.ts';
import { clusterTexts } from './texts.ts';

/** What is being done, and how far it is; nothing while nothing is. */
export function Operation({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(clusterTexts);
  const operation = runningOperation(cluster);
  const begun = useRelativeTime(operation?.startTime, 'past');
  const until = useRelativeTime(operation?.estimatedEndTime, 'future');
  if (operation === undefined) return null;
  const { type, progress, description, steps } = operation;
  const told = [
    steps && steps.total > 0 && say('operation.steps', { done: steps.done, total: steps.total }),
    begun !== '' && say('operation.started', { when: begun }),
    until !== '' && say('operation.until', { when: until }),
  ].filter(Boolean);
  return (
    <section className="fw-panel" aria-label={say(`operation.${type}`)}>
      <Progress
        value={progress}
        title={say(`operation.${type}`)}
        measureLocation="outside"
        helperText={
          <>
            <ServerText text={description} />
            {told.length > 0 && <span className="fw-quiet"> · {told.join(' · ')}</span>}
          </>
        }
      />
    </section>
  );
}
