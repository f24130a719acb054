import type { Cluster } from '@fairway/api/kinds/cluster';
import { Progress } from '@patternfly/react-core/dist/esm/components/Progress';
import { plainName } from '../../text/plain.ts';
import { ServerText } from '../../text/server-text.tsx';
import { runningOperation } from './cluster-state.ts';

/** The current operation and its progress; empty if there is none. */
export function ClusterProgress({ cluster }: { readonly cluster: Cluster }) {
  const operation = runningOperation(cluster);
  if (operation === undefined) return null;
  const { progress, description } = operation;
  return (
    <div className="fw-progress" title={plainName(description)}>
      <Progress
        value={progress}
        size="sm"
        measureLocation="outside"
        aria-label={`${cluster.metadata.name}: ${plainName(description)}`}
      />
      <div className="fw-quiet fw-one-line">
        <ServerText text={description} />
      </div>
    </div>
  );
}
