import { Link } from 'wouter';
import { ActivityView } from '../../activity/activity-view.tsx';
import type { Failure } from '../../api/failure.ts';
import { clusters, pathOf } from '../../api/resources.ts';
import { Copyable } from '../../cluster/copyable.tsx';
import { useSession } from '../../session/session.ts';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { activityTabTexts } from './activity-texts.ts';
import type { TabProps } from './tab.ts';

/** Requests to the cluster's own API server. */
export function ActivityTab({ cluster: { metadata } }: TabProps) {
  const t = useText(activityTabTexts);
  const { namespace = '', name = '' } = metadata;
  const { namespace: sessionNamespace } = useSession();
  const project = sessionNamespace === namespace ? '/activity' : `/operator/projects/${namespace}/activity`;
  return (
    <section className="fw-panel" aria-labelledby="activity-title">
      <div className="fw-panel-head">
        <h2 id="activity-title">{t('title')}</h2>
        <Link href={`${project}?object=${encodeURIComponent(name)}`}>{t('elsewhere')}</Link>
      </div>
      <ActivityView
        path={pathOf(clusters, namespace, name, 'audit')}
        explain={(failure) =>
          isAuditDisabled(failure) ? <AuditDisabled failure={failure} namespace={namespace} name={name} /> : undefined
        }
      />
    </section>
  );
}

/** The placeholder for a cluster whose audit events are not enabled. */
function isAuditDisabled({ code }: Failure): boolean {
  return code === 409;
}

interface AuditDisabledProps {
  readonly failure: Failure;
  readonly namespace: string;
  readonly name: string;
}

function AuditDisabled({ failure, namespace, name }: AuditDisabledProps) {
  const t = useText(activityTabTexts);
  const patch = '{"spec":{"apiServer":{"audit":{}}}}';
  return (
    <div className="fw-not-asked">
      <h3>{t('off')}</h3>
      <p>{t('off.body')}</p>
      <Copyable
        label={t('off.command')}
        text={`kubectl -n ${namespace} patch cluster ${name} --type merge -p '${patch}'`}
      />
      <p>
        <Link href={`/clusters/${namespace}/${name}/yaml`}>{t('off.yaml')}</Link>
      </p>
      <p className="fw-quiet">
        <ServerText text={failure.message} />
      </p>
    </div>
  );
}
