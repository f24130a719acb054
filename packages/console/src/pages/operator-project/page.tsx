import { plainName } from '../../text/plain.ts';
import '../operator/operator.css';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { EmptyState, EmptyStateBody } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { CubesIcon } from '@patternfly/react-icons/dist/esm/icons/cubes-icon';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { cloudProfiles, clusters, keyOf, nodePools } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { MaybeLink } from '../../app/maybe-link.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import type { PageProps } from '../../app/pages.ts';
import { StateLabel } from '../../app/state-label.tsx';
import type { Column } from '../../table/column.ts';
import { type ListFilter, ListPage } from '../../table/list-page.tsx';
import { type Say, useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { clusterState } from '../clusters/cluster-state.ts';
import { clustersTexts } from '../clusters/texts.ts';
import { useDerivedSnapshot } from '../operator/derived-snapshot.ts';
import { Figures } from '../operator/figures.tsx';
import { Cores } from '../operator-projects/cores.tsx';
import { projectRows } from '../operator-projects/project-rows.ts';
import { projectTexts } from './texts.ts';

/** The clusters of one project, with its sums. */
export function Page({ params: { namespace = '' } }: PageProps) {
  const say = useText(projectTexts);
  const sayPhase = useText(clustersTexts);
  usePageTitle(say('title', { name: namespace }));
  // The stores of all projects are mostly there already: the reader comes from them.
  const ofClusters = useResources(clusters);
  const ofPools = useResources(nodePools);
  const ofProfiles = useResources(cloudProfiles);
  const own = useMemo(() => ofClusters.items.filter(isIn(namespace)), [ofClusters.items, namespace]);
  const [sums] = useMemo(
    () =>
      projectRows({
        clusters: own,
        nodePools: ofPools.items.filter(isIn(namespace)),
        cloudProfiles: ofProfiles.items.filter(isIn(namespace)),
      }),
    [own, ofPools.items, ofProfiles.items, namespace],
  );
  const snapshot = useDerivedSnapshot(own, [ofClusters]);
  const columns = useMemo(() => columnsOf(say, sayPhase), [say, sayPhase]);
  const filters = useMemo(
    (): readonly ListFilter<Cluster>[] => [
      { key: 'attention', title: say('filter.attention'), isIn: (cluster) => clusterState(cluster) === 'attention' },
    ],
    [say],
  );
  return (
    <ListPage
      title={say('title', { name: namespace })}
      snapshot={snapshot}
      columns={columns}
      searched={searchedText}
      searchLabel={say('search')}
      filters={filters}
      firstSort={FIRST_SORT}
      action={
        sums &&
        ofPools.isComplete &&
        ofProfiles.isComplete && (
          <>
            <Figures
              figures={[
                { label: say('sum.clusters'), value: sums.clusters },
                { label: say('sum.nodes'), value: `${sums.nodesReady}/${sums.nodesDesired}` },
                { label: say('sum.cores'), value: <Cores of={sums} /> },
                { label: say('sum.problems'), value: sums.problems },
              ]}
            />
            <Link href={`/operator/projects/${namespace}/activity`}>{say('activity')}</Link>
            <Link href="/operator/projects">{say('back')}</Link>
          </>
        )
      }
      empty={
        <EmptyState titleText={say('empty.title')} icon={CubesIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{say('empty.body')}</p>
            <p>
              <Link href={`/operator/projects/${namespace}/activity`}>{say('activity')}</Link>
            </p>
            <Link href="/operator/projects">{say('back')}</Link>
          </EmptyStateBody>
        </EmptyState>
      }
    />
  );
}

const FIRST_SORT = { key: 'name', direction: 'asc' } as const;

function isIn(namespace: string) {
  return ({ metadata }: { readonly metadata: { readonly namespace?: string | undefined } }) =>
    metadata.namespace === namespace;
}

function searchedText({ metadata: { name }, spec, status }: Cluster): string {
  return `${name} ${status?.version ?? spec.version} ${spec.plan} ${status?.phase}`;
}

function columnsOf(
  say: Say<(typeof projectTexts)['en']>,
  sayPhase: Say<(typeof clustersTexts)['en']>,
): readonly Column<Cluster>[] {
  return [
    {
      key: 'name',
      title: say('column.name'),
      width: 20,
      sortBy: keyOf,
      cell: ({ metadata: { namespace, name } }) => (
        <MaybeLink page="/clusters/:namespace/:name" href={`/clusters/${namespace}/${name}`} className="fw-name">
          {name}
        </MaybeLink>
      ),
    },
    {
      key: 'state',
      title: say('column.state'),
      sortBy: (cluster) => `${clusterState(cluster)} ${cluster.status?.phase}`,
      cell: (cluster) => (
        <StateLabel state={clusterState(cluster)}>{sayPhase(`phase.${cluster.status?.phase ?? 'Pending'}`)}</StateLabel>
      ),
    },
    {
      key: 'operation',
      title: say('column.operation'),
      width: 25,
      sortBy: ({ status }) => status?.lastOperation?.summary ?? '',
      cell: ({ status }) => {
        const operation = status?.lastOperation;
        return operation === undefined || operation.state === 'Succeeded' ? undefined : (
          <span className="fw-op-clamp" title={plainName(operation.description)}>
            {operation.summary || operation.type} · {operation.description}
          </span>
        );
      },
    },
    {
      key: 'nodes',
      title: say('column.nodes'),
      sortBy: ({ status }) => status?.nodes?.desired ?? 0,
      cell: ({ status }) => status?.nodes && `${status.nodes.ready}/${status.nodes.desired}`,
    },
    {
      key: 'version',
      title: say('column.version'),
      sortBy: ({ spec, status }) => status?.version ?? spec.version ?? '',
      cell: ({ spec, status }) => status?.version ?? spec.version,
    },
    { key: 'plan', title: say('column.plan'), sortBy: ({ spec }) => spec.plan, cell: ({ spec }) => spec.plan },
    {
      key: 'created',
      title: say('column.created'),
      sortBy: ({ metadata: { creationTimestamp = '' } }) => creationTimestamp,
      cell: ({ metadata: { creationTimestamp } }) => <When at={creationTimestamp} />,
    },
  ];
}
