import type { Cluster } from '@fairway/api/kinds/cluster';
import { Alert, AlertActionLink } from '@patternfly/react-core/dist/esm/components/Alert';
import { useEffect, useState } from 'react';
import { useConnection } from '../../api/connection.ts';
import type { Failure } from '../../api/failure.ts';
import { finishCreation, forgetCreation, unfinishedOf } from '../../cluster/creation.ts';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { clusterTexts } from './texts.ts';

type State = 'working' | 'done' | Failure;

/** Makes the pools that were asked for along with the cluster, where this browser has not got to it: after a reload, or when the server was away. */
export function Unfinished({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(clusterTexts);
  const [state, setState] = useState<State>(() =>
    unfinishedOf(cluster, localStorage).length > 0 ? 'working' : 'done',
  );
  const isAway = useConnection().state === 'lost';
  const isWorking = state === 'working';
  useEffect(() => {
    if (!isWorking || isAway) return;
    void finishCreation(cluster, localStorage).then(() => setState('done'), setState);
  }, [isWorking, isAway]);
  if (state === 'done') return null;
  if (state === 'working') return <Alert isInline variant="info" title={say('unfinished.working')} />;
  const forget = () => {
    forgetCreation(cluster, localStorage);
    setState('done');
  };
  return (
    <Alert
      isInline
      isLiveRegion
      variant="danger"
      title={say('unfinished.failed')}
      actionLinks={
        <>
          <AlertActionLink onClick={() => setState('working')}>{say('unfinished.again')}</AlertActionLink>
          <AlertActionLink onClick={forget}>{say('unfinished.forget')}</AlertActionLink>
        </>
      }
    >
      <ServerText text={state.message} />
    </Alert>
  );
}
