import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useState } from 'react';
import { events } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { useResources } from '../../api/use-resources.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { NotKnown } from '../../app/outdated.tsx';
import { useLocale } from '../../text/settings.ts';
import { fullTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { useNow } from '../../text/when.tsx';
import { annotating } from './annotate.ts';
import { credentialsTexts } from './credentials-texts.ts';
import { validKubeconfigs } from './issued.ts';

const REVOKE = 'fairway.dev/revoke-kubeconfigs';
const ROTATE = 'fairway.dev/rotate-credentials';
const COMPLETE = 'fairway.dev/complete-rotation';

type Ask = 'revoke' | 'rotate' | 'complete';

/** Who has been let into the cluster, and how that is taken back. */
export function CredentialsPanels({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(credentialsTexts);
  const [action, setAction] = useState<Action>();
  const { name = '' } = cluster.metadata;
  const credentials = cluster.status?.credentials;
  const ask = (what: Ask, key: string, value: string) =>
    setAction({
      title: say(`${what}.title`, { name }),
      body: say(`${what}.body`),
      button: say(`${what}.button`),
      danger: what === 'complete' ? { kind: 'final', name } : { kind: 'harmful' },
      ...annotating(cluster, key, value),
    });
  const isRevoking = (cluster.status?.conditions ?? []).some(
    ({ type, reason, status }) =>
      type === 'CredentialsStable' && status === 'False' && reason === 'RevokingKubeconfigs',
  );
  const phase = credentials?.phase ?? 'Stable';
  return (
    <>
      <section className="fw-panel">
        <h2>{say('issued.title')}</h2>
        <Kubeconfigs cluster={cluster} />
        <Revoked cluster={cluster} isRevoking={isRevoking} />
        <div className="fw-actions">
          <Button
            variant="secondary"
            isDanger
            isDisabled={isRevoking}
            onClick={() => ask('revoke', REVOKE, serverClock.now())}
          >
            {say('revoke.do')}
          </Button>
        </div>
      </section>
      {credentials !== undefined && (
        <section className="fw-panel">
          <h2>{say('rotation.title')}</h2>
          <Rotation cluster={cluster} />
          <div className="fw-actions">
            {phase === 'Prepared' && credentials.rotation !== undefined ? (
              <Button
                isDanger
                variant="secondary"
                onClick={() => ask('complete', COMPLETE, credentials.rotation ?? '')}
              >
                {say('complete.do')}
              </Button>
            ) : (
              <Button
                variant="secondary"
                isDisabled={phase !== 'Stable'}
                onClick={() => ask('rotate', ROTATE, serverClock.now())}
              >
                {say('rotate.do')}
              </Button>
            )}
          </div>
        </section>
      )}
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}

function Kubeconfigs({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(credentialsTexts);
  const locale = useLocale();
  const now = useNow(10_000);
  const { items, isComplete } = useResources(events, { namespace: cluster.metadata.namespace });
  const issued = validKubeconfigs(items, cluster, now);
  if (!isComplete) return <NotKnown />;
  if (issued.length === 0) return <p className="fw-quiet">{say('issued.none')}</p>;
  return (
    <ul className="fw-plain">
      {issued.map(({ user, expiresAt }) => (
        <li key={`${user} ${expiresAt}`}>{say('issued.until', { user, time: fullTime(expiresAt, locale) })}</li>
      ))}
    </ul>
  );
}

function Revoked({ cluster, isRevoking }: { readonly cluster: Cluster; readonly isRevoking: boolean }) {
  const say = useText(credentialsTexts);
  const locale = useLocale();
  const time = cluster.status?.credentials?.revocation?.time;
  return (
    <p role="status" className="fw-quiet">
      {isRevoking && say('revoke.running')}
      {!isRevoking && time !== undefined && say('revoke.last', { time: fullTime(time, locale) })}
    </p>
  );
}

function Rotation({ cluster }: { readonly cluster: Cluster }) {
  const say = useText(credentialsTexts);
  const locale = useLocale();
  const { phase = 'Stable', nodes, caNotAfter = '' } = cluster.status?.credentials ?? {};
  return (
    <div role="status">
      <p>{say(`rotation.${phase}`)}</p>
      {nodes !== undefined && <p>{say('rotation.nodes', nodes)}</p>}
      <p className="fw-quiet">{say('rotation.end', { time: fullTime(caNotAfter, locale) })}</p>
    </div>
  );
}
