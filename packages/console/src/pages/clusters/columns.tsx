import type { Cluster } from '@fairway/api/kinds/cluster';
import { MaybeLink } from '../../app/maybe-link.tsx';
import { StateLabel } from '../../app/state-label.tsx';
import type { Column } from '../../table/column.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import type { Translate } from '../../text/use-text.ts';
import { ClusterProgress } from './cluster-progress.tsx';
import { clusterState, runningOperation } from './cluster-state.ts';
import type { clustersTexts } from './texts.ts';

/** Includes a namespace column if the clusters are in several namespaces. */
export function clusterColumns(
  t: Translate<(typeof clustersTexts)['en']>,
  isAllNamespaces: boolean,
): readonly Column<Cluster>[] {
  return [
    {
      key: 'name',
      title: t('column.name'),
      width: 20,
      sortBy: ({ metadata: { name = '' } }) => name,
      cell: ({ metadata: { namespace, name } }) => (
        <MaybeLink page="/clusters/:namespace/:name" href={`/clusters/${namespace}/${name}`} className="fw-name">
          {name}
        </MaybeLink>
      ),
    },
    ...(isAllNamespaces
      ? [
          {
            key: 'namespace',
            title: t('column.namespace'),
            sortBy: ({ metadata: { namespace = '' } }: Cluster) => namespace,
            cell: ({ metadata: { namespace } }: Cluster) => namespace,
          },
        ]
      : []),
    {
      key: 'status',
      title: t('column.status'),
      width: 15,
      sortBy: (cluster) => `${clusterState(cluster)} ${cluster.status?.phase}`,
      cell: (cluster) => <StateLabel state={clusterState(cluster)}>{phaseText(cluster, t)}</StateLabel>,
    },
    {
      key: 'progress',
      title: t('column.progress'),
      width: 25,
      sortBy: (cluster) => runningOperation(cluster)?.progress ?? 100,
      cell: (cluster) => <ClusterProgress cluster={cluster} />,
    },
    {
      key: 'nodes',
      title: t('column.nodes'),
      width: 10,
      sortBy: ({ status }) => status?.nodes?.desired ?? 0,
      cell: ({ status }) =>
        status?.nodes && (
          <span title={t('nodes.title', { ready: status.nodes.ready, desired: status.nodes.desired })}>
            {status.nodes.ready}/{status.nodes.desired}
          </span>
        ),
    },
    {
      key: 'version',
      title: t('column.version'),
      width: 10,
      sortBy: ({ spec, status }) => status?.version ?? spec.version ?? '',
      cell: ({ spec, status }) => status?.version ?? spec.version,
    },
    {
      key: 'plan',
      title: t('column.plan'),
      width: 10,
      sortBy: ({ spec }) => spec.plan,
      cell: ({ spec }) => spec.plan,
    },
    {
      key: 'created',
      title: t('column.created'),
      width: 10,
      sortBy: ({ metadata: { creationTimestamp = '' } }) => creationTimestamp,
      cell: ({ metadata: { creationTimestamp } }) => <RelativeTime at={creationTimestamp} />,
    },
  ];
}

function phaseText({ status }: Cluster, t: Translate<(typeof clustersTexts)['en']>): string {
  return t(`phase.${status?.phase ?? 'Pending'}`);
}
