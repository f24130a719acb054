import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters } from '../../api/resources.ts';
import { remove } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { Translate } from '../../text/use-text.ts';
import { hibernate } from './hibernate.ts';
import type { clusterTexts } from './texts.ts';

type TranslateCluster = Translate<(typeof clusterTexts)['en']>;

/** Deletes the cluster's nodes, including the data on their disks. */
export function hibernateAction(cluster: Cluster, t: TranslateCluster): Action {
  const { namespace = '', name = '' } = cluster.metadata;
  return {
    title: t('hibernate.title', { name }),
    body: t('hibernate.body'),
    button: t('hibernate.do'),
    command: `fairway cluster hibernate ${name} --namespace ${namespace}`,
    danger: { kind: 'harmful' },
    run: () => hibernate(cluster, true),
  };
}

export function deleteAction(cluster: Cluster, t: TranslateCluster): Action {
  const { namespace = '', name = '' } = cluster.metadata;
  return {
    title: t('delete.title', { name }),
    body: t('delete.body'),
    button: t('delete.do'),
    command: `kubectl -n ${namespace} delete cluster ${name}`,
    danger: { kind: 'final', name },
    run: () => remove(clusters, cluster),
  };
}
