import type { Cluster } from '@fairway/api/kinds/cluster';
import { Progress } from '@patternfly/react-core/dist/esm/components/Progress';
import { useLanguage } from '../../text/settings.ts';
import { relativeTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { useNow } from '../../text/when.tsx';
import { runningOperation } from '../clusters/cluster-state.ts';
import { clusterTexts } from './texts.ts';

/** What is being done, and how far it is; nothing while nothing is. */
export function Operation({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(clusterTexts);
  const language = useLanguage();
  const nowMs = useNow();
  const operation = runningOperation(cluster);
  if (operation === undefined) return null;
  const { type, progress, description, steps, startTime, estimatedEndTime } = operation;
  const when = (time: string) => relativeTime(time, nowMs, language);
  const told = [
    steps && steps.total > 0 && say('operation.steps', { done: steps.done, total: steps.total }),
    startTime && say('operation.started', { when: when(startTime) }),
    estimatedEndTime && say('operation.until', { when: when(estimatedEndTime) }),
  ].filter(Boolean);
  return (
    <section className="fw-panel" aria-label={say(`operation.${type}`)}>
      <Progress
        value={progress}
        title={say(`operation.${type}`)}
        measureLocation="outside"
        helperText={
          <>
            <span lang="en">{description}</span>
            {told.length > 0 && <span className="fw-quiet"> · {told.join(' · ')}</span>}
          </>
        }
      />
    </section>
  );
}
