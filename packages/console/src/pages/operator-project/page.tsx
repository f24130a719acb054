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
import { RelativeTime } from '../../text/relative-time.tsx';
import { type Translate, useText } from '../../text/use-text.ts';
import { clusterState } from '../clusters/cluster-state.ts';
import { clustersTexts } from '../clusters/texts.ts';
import { useDerivedSnapshot } from '../operator/derived-snapshot.ts';
import { Figures } from '../operator/figures.tsx';
import { CoreUsage } from '../operator-projects/cores.tsx';
import { projectRows } from '../operator-projects/project-rows.ts';
import { projectTexts } from './texts.ts';

/** The clusters of one project, with totals. */
export function Page({ params: { namespace = '' } }: PageProps) {
  const t = useText(projectTexts);
  const tPhase = useText(clustersTexts);
  usePageTitle(t('title', { name: namespace }));
  // The stores of all projects usually exist already, because users come from the list of projects.
  const clusterSnapshot = useResources(clusters);
  const poolSnapshot = useResources(nodePools);
  const profileSnapshot = useResources(cloudProfiles);
  const projectClusters = useMemo(
    () => clusterSnapshot.items.filter(isIn(namespace)),
    [clusterSnapshot.items, namespace],
  );
  const [sums] = useMemo(
    () =>
      projectRows({
        clusters: projectClusters,
        nodePools: poolSnapshot.items.filter(isIn(namespace)),
        cloudProfiles: profileSnapshot.items.filter(isIn(namespace)),
      }),
    [projectClusters, poolSnapshot.items, profileSnapshot.items, namespace],
  );
  const snapshot = useDerivedSnapshot(projectClusters, [clusterSnapshot]);
  const columns = useMemo(() => columnsOf(t, tPhase), [t, tPhase]);
  const filters = useMemo(
    (): readonly ListFilter<Cluster>[] => [
      { key: 'attention', title: t('filter.attention'), isIn: (cluster) => clusterState(cluster) === 'attention' },
    ],
    [t],
  );
  return (
    <ListPage
      title={t('title', { name: namespace })}
      snapshot={snapshot}
      columns={columns}
      searchText={searchText}
      searchLabel={t('search')}
      filters={filters}
      defaultSort={DEFAULT_SORT}
      action={
        sums &&
        poolSnapshot.isComplete &&
        profileSnapshot.isComplete && (
          <>
            <Figures
              figures={[
                { label: t('sum.clusters'), value: sums.clusters },
                { label: t('sum.nodes'), value: `${sums.nodesReady}/${sums.nodesDesired}` },
                { label: t('sum.cores'), value: <CoreUsage of={sums} /> },
                { label: t('sum.problems'), value: sums.problems },
              ]}
            />
            <Link href={`/operator/projects/${namespace}/activity`}>{t('activity')}</Link>
            <Link href="/operator/projects">{t('back')}</Link>
          </>
        )
      }
      emptyList={
        <EmptyState titleText={t('empty.title')} icon={CubesIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{t('empty.body')}</p>
            <p>
              <Link href={`/operator/projects/${namespace}/activity`}>{t('activity')}</Link>
            </p>
            <Link href="/operator/projects">{t('back')}</Link>
          </EmptyStateBody>
        </EmptyState>
      }
    />
  );
}

const DEFAULT_SORT = { key: 'name', direction: 'asc' } as const;

function isIn(namespace: string) {
  return ({ metadata }: { readonly metadata: { readonly namespace?: string | undefined } }) =>
    metadata.namespace === namespace;
}

function searchText({ metadata: { name }, spec, status }: Cluster): string {
  return `${name} ${status?.version ?? spec.version} ${spec.plan} ${status?.phase}`;
}

function columnsOf(
  t: Translate<(typeof projectTexts)['en']>,
  tPhase: Translate<(typeof clustersTexts)['en']>,
): readonly Column<Cluster>[] {
  return [
    {
      key: 'name',
      title: t('column.name'),
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
      title: t('column.state'),
      sortBy: (cluster) => `${clusterState(cluster)} ${cluster.status?.phase}`,
      cell: (cluster) => (
        <StateLabel state={clusterState(cluster)}>{tPhase(`phase.${cluster.status?.phase ?? 'Pending'}`)}</StateLabel>
      ),
    },
    {
      key: 'operation',
      title: t('column.operation'),
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
      title: t('column.nodes'),
      sortBy: ({ status }) => status?.nodes?.desired ?? 0,
      cell: ({ status }) => status?.nodes && `${status.nodes.ready}/${status.nodes.desired}`,
    },
    {
      key: 'version',
      title: t('column.version'),
      sortBy: ({ spec, status }) => status?.version ?? spec.version ?? '',
      cell: ({ spec, status }) => status?.version ?? spec.version,
    },
    { key: 'plan', title: t('column.plan'), sortBy: ({ spec }) => spec.plan, cell: ({ spec }) => spec.plan },
    {
      key: 'created',
      title: t('column.created'),
      sortBy: ({ metadata: { creationTimestamp = '' } }) => creationTimestamp,
      cell: ({ metadata: { creationTimestamp } }) => <RelativeTime at={creationTimestamp} />,
    },
  ];
}
