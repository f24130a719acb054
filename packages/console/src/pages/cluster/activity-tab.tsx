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

/** What was done at the cluster's own API server. */
export function ActivityTab({ cluster: { metadata } }: TabProps) {
  const say = useText(activityTabTexts);
  const { namespace = '', name = '' } = metadata;
  const { namespace: own } = useSession();
  const project = own === namespace ? '/activity' : `/operator/projects/${namespace}/activity`;
  return (
    <section className="fw-panel" aria-labelledby="activity-title">
      <div className="fw-panel-head">
        <h2 id="activity-title">{say('title')}</h2>
        <Link href={`${project}?object=${encodeURIComponent(name)}`}>{say('elsewhere')}</Link>
      </div>
      <ActivityView
        path={pathOf(clusters, namespace, name, 'audit')}
        explain={(failure) =>
          isNotAsked(failure) ? <NotAsked failure={failure} namespace={namespace} name={name} /> : undefined
        }
      />
    </section>
  );
}

/** The answer for a cluster whose events nobody has asked for. */
function isNotAsked({ code }: Failure): boolean {
  return code === 409;
}

interface NotAskedProps {
  readonly failure: Failure;
  readonly namespace: string;
  readonly name: string;
}

function NotAsked({ failure, namespace, name }: NotAskedProps) {
  const say = useText(activityTabTexts);
  const patch = '{"spec":{"apiServer":{"audit":{}}}}';
  return (
    <div className="fw-not-asked">
      <h3>{say('off')}</h3>
      <p>{say('off.body')}</p>
      <Copyable
        label={say('off.command')}
        text={`kubectl -n ${namespace} patch cluster ${name} --type merge -p '${patch}'`}
      />
      <p>
        <Link href={`/clusters/${namespace}/${name}/yaml`}>{say('off.yaml')}</Link>
      </p>
      <p className="fw-quiet">
        <ServerText text={failure.message} />
      </p>
    </div>
  );
}
