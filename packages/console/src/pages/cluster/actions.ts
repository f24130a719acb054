import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters } from '../../api/resources.ts';
import { remove } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { Say } from '../../text/use-text.ts';
import { hibernate } from './hibernate.ts';
import type { clusterTexts } from './texts.ts';

type SayCluster = Say<(typeof clusterTexts)['en']>;

/** Its nodes go, with what is on their disks. */
export function hibernating(cluster: Cluster, say: SayCluster): Action {
  const { namespace = '', name = '' } = cluster.metadata;
  return {
    title: say('hibernate.title', { name }),
    body: say('hibernate.body'),
    button: say('hibernate.do'),
    command: `fairway cluster hibernate ${name} --namespace ${namespace}`,
    danger: { kind: 'harmful' },
    run: () => hibernate(cluster, true),
  };
}

export function deleting(cluster: Cluster, say: SayCluster): Action {
  const { namespace = '', name = '' } = cluster.metadata;
  return {
    title: say('delete.title', { name }),
    body: say('delete.body'),
    button: say('delete.do'),
    command: `kubectl -n ${namespace} delete cluster ${name}`,
    danger: { kind: 'final', name },
    run: () => remove(clusters, cluster),
  };
}
