import type { Cluster } from '@fairway/api/kinds/cluster';
import { MaybeLink } from '../../app/maybe-link.tsx';
import { StateLabel } from '../../app/state-label.tsx';
import type { Column } from '../../table/column.ts';
import type { Say } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { ClusterProgress } from './cluster-progress.tsx';
import { clusterState, runningOperation } from './cluster-state.ts';
import type { clustersTexts } from './texts.ts';

/** With the namespace where clusters of several are shown. */
export function clusterColumns(say: Say<(typeof clustersTexts)['en']>, isOfAll: boolean): readonly Column<Cluster>[] {
  return [
    {
      key: 'name',
      title: say('column.name'),
      width: 20,
      sortBy: ({ metadata: { name = '' } }) => name,
      cell: ({ metadata: { namespace, name } }) => (
        <MaybeLink page="/clusters/:namespace/:name" href={`/clusters/${namespace}/${name}`} className="fw-name">
          {name}
        </MaybeLink>
      ),
    },
    ...(isOfAll
      ? [
          {
            key: 'namespace',
            title: say('column.namespace'),
            sortBy: ({ metadata: { namespace = '' } }: Cluster) => namespace,
            cell: ({ metadata: { namespace } }: Cluster) => namespace,
          },
        ]
      : []),
    {
      key: 'status',
      title: say('column.status'),
      width: 15,
      sortBy: (cluster) => `${clusterState(cluster)} ${cluster.status?.phase}`,
      cell: (cluster) => <StateLabel state={clusterState(cluster)}>{phaseText(cluster, say)}</StateLabel>,
    },
    {
      key: 'progress',
      title: say('column.progress'),
      width: 25,
      sortBy: (cluster) => runningOperation(cluster)?.progress ?? 100,
      cell: (cluster) => <ClusterProgress cluster={cluster} />,
    },
    {
      key: 'nodes',
      title: say('column.nodes'),
      width: 10,
      sortBy: ({ status }) => status?.nodes?.desired ?? 0,
      cell: ({ status }) =>
        status?.nodes && (
          <span title={say('nodes.title', { ready: status.nodes.ready, desired: status.nodes.desired })}>
            {status.nodes.ready}/{status.nodes.desired}
          </span>
        ),
    },
    {
      key: 'version',
      title: say('column.version'),
      width: 10,
      sortBy: ({ spec, status }) => status?.version ?? spec.version ?? '',
      cell: ({ spec, status }) => status?.version ?? spec.version,
    },
    {
      key: 'plan',
      title: say('column.plan'),
      width: 10,
      sortBy: ({ spec }) => spec.plan,
      cell: ({ spec }) => spec.plan,
    },
    {
      key: 'created',
      title: say('column.created'),
      width: 10,
      sortBy: ({ metadata: { creationTimestamp = '' } }) => creationTimestamp,
      cell: ({ metadata: { creationTimestamp } }) => <When at={creationTimestamp} />,
    },
  ];
}

function phaseText({ status }: Cluster, say: Say<(typeof clustersTexts)['en']>): string {
  return say(`phase.${status?.phase ?? 'Pending'}`);
}
