import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useState } from 'react';
import { events } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { useResources } from '../../api/use-resources.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { UnknownNotice } from '../../app/outdated-notice.tsx';
import { useNow } from '../../text/relative-time.tsx';
import { useLocale } from '../../text/settings.ts';
import { fullTime } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { annotateAction } from './annotate.ts';
import { credentialsTexts } from './credentials-texts.ts';
import { validKubeconfigs } from './valid-kubeconfigs.ts';

const REVOKE_ANNOTATION = 'fairway.dev/revoke-kubeconfigs';
const ROTATE_ANNOTATION = 'fairway.dev/rotate-credentials';
const COMPLETE_ANNOTATION = 'fairway.dev/complete-rotation';

type CredentialAction = 'revoke' | 'rotate' | 'complete';

/** The issued kubeconfigs, and how to revoke them. */
export function CredentialsPanels({ cluster }: { readonly cluster: Cluster }) {
  const t = useText(credentialsTexts);
  const [action, setAction] = useState<Action>();
  const { name = '' } = cluster.metadata;
  const credentials = cluster.status?.credentials;
  const confirmAction = (what: CredentialAction, key: string, value: string) =>
    setAction({
      title: t(`${what}.title`, { name }),
      body: t(`${what}.body`),
      button: t(`${what}.button`),
      danger: what === 'complete' ? { kind: 'final', name } : { kind: 'harmful' },
      ...annotateAction(cluster, key, value),
    });
  const isRevoking = (cluster.status?.conditions ?? []).some(
    ({ type, reason, status }) =>
      type === 'CredentialsStable' && status === 'False' && reason === 'RevokingKubeconfigs',
  );
  const phase = credentials?.phase ?? 'Stable';
  return (
    <>
      <section className="fw-panel">
        <h2>{t('issued.title')}</h2>
        <Kubeconfigs cluster={cluster} />
        <RevokedNotice cluster={cluster} isRevoking={isRevoking} />
        <div className="fw-actions">
          <Button
            variant="secondary"
            isDanger
            isDisabled={isRevoking}
            onClick={() => confirmAction('revoke', REVOKE_ANNOTATION, serverClock.now())}
          >
            {t('revoke.do')}
          </Button>
        </div>
      </section>
      {credentials !== undefined && (
        <section className="fw-panel">
          <h2>{t('rotation.title')}</h2>
          <Rotation cluster={cluster} />
          <div className="fw-actions">
            {phase === 'Prepared' && credentials.rotation !== undefined ? (
              <Button
                isDanger
                variant="secondary"
                onClick={() => confirmAction('complete', COMPLETE_ANNOTATION, credentials.rotation ?? '')}
              >
                {t('complete.do')}
              </Button>
            ) : (
              <Button
                variant="secondary"
                isDisabled={phase !== 'Stable'}
                onClick={() => confirmAction('rotate', ROTATE_ANNOTATION, serverClock.now())}
              >
                {t('rotate.do')}
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
  const t = useText(credentialsTexts);
  const locale = useLocale();
  const now = useNow(10_000);
  const { items, isComplete } = useResources(events, { namespace: cluster.metadata.namespace });
  const kubeconfigs = validKubeconfigs(items, cluster, now);
  if (!isComplete) return <UnknownNotice />;
  if (kubeconfigs.length === 0) return <p className="fw-quiet">{t('issued.none')}</p>;
  return (
    <ul className="fw-plain">
      {kubeconfigs.map(({ user, expiresAt }) => (
        <li key={`${user} ${expiresAt}`}>{t('issued.until', { user, time: fullTime(expiresAt, locale) })}</li>
      ))}
    </ul>
  );
}

function RevokedNotice({ cluster, isRevoking }: { readonly cluster: Cluster; readonly isRevoking: boolean }) {
  const t = useText(credentialsTexts);
  const locale = useLocale();
  const time = cluster.status?.credentials?.revocation?.time;
  return (
    <p role="status" className="fw-quiet">
      {isRevoking && t('revoke.running')}
      {!isRevoking && time !== undefined && t('revoke.last', { time: fullTime(time, locale) })}
    </p>
  );
}

function Rotation({ cluster }: { readonly cluster: Cluster }) {
  const t = useText(credentialsTexts);
  const locale = useLocale();
  const { phase = 'Stable', nodes, caNotAfter = '' } = cluster.status?.credentials ?? {};
  return (
    <div role="status">
      <p>{t(`rotation.${phase}`)}</p>
      {nodes !== undefined && <p>{t('rotation.nodes', nodes)}</p>}
      <p className="fw-quiet">{t('rotation.end', { time: fullTime(caNotAfter, locale) })}</p>
    </div>
  );
}
