import type { Cluster } from '@fairway/api/kinds/cluster';
import { Alert, AlertActionLink } from '@patternfly/react-core/dist/esm/components/Alert';
import { useEffect, useState } from 'react';
import { useConnection } from '../../api/connection.ts';
import type { Failure } from '../../api/failure.ts';
import { abandonCreation, finishCreation, unfinishedPools } from '../../cluster/creation.ts';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { clusterTexts } from './texts.ts';

type State = 'working' | 'done' | Failure;

/** Creates the requested pools that this browser has not created yet, after a reload or a server outage. */
export function UnfinishedNotice({ cluster }: { readonly cluster: Cluster }) {
  const t = useText(clusterTexts);
  const [state, setState] = useState<State>(() =>
    unfinishedPools(cluster, localStorage).length > 0 ? 'working' : 'done',
  );
  const isAway = useConnection().state === 'lost';
  const isWorking = state === 'working';
  useEffect(() => {
    if (!isWorking || isAway) return;
    void finishCreation(cluster, localStorage).then(() => setState('done'), setState);
  }, [isWorking, isAway]);
  if (state === 'done') return null;
  if (state === 'working') return <Alert isInline variant="info" title={t('unfinished.working')} />;
  const abandon = () => {
    abandonCreation(cluster, localStorage);
    setState('done');
  };
  return (
    <Alert
      isInline
      isLiveRegion
      variant="danger"
      title={t('unfinished.failed')}
      actionLinks={
        <>
          <AlertActionLink onClick={() => setState('working')}>{t('unfinished.again')}</AlertActionLink>
          <AlertActionLink onClick={abandon}>{t('unfinished.forget')}</AlertActionLink>
        </>
      }
    >
      <ServerText text={state.message} />
    </Alert>
  );
}
