import '../operator/operator.css';
import { CubesIcon } from '@patternfly/react-icons/dist/esm/icons/cubes-icon';
import { useDeferredValue, useMemo } from 'react';
import { Link } from 'wouter';
import { cloudProfiles, clusters, nodePools } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { usePageTitle } from '../../app/page-title.ts';
import type { Column } from '../../table/column.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { type ListFilter, ListPage } from '../../table/list-page.tsx';
import { type Translate, useText } from '../../text/use-text.ts';
import { useDerivedSnapshot } from '../operator/derived-snapshot.ts';
import { StateCounts } from '../operator/state-counts.tsx';
import { CoreUsage } from './cores.tsx';
import { type ProjectRow, projectRows } from './project-rows.ts';
import { projectsTexts } from './texts.ts';

/** All projects, with totals. */
export function Page() {
  const t = useText(projectsTexts);
  usePageTitle(t('title'));
  const clusterSnapshot = useResources(clusters);
  const poolSnapshot = useResources(nodePools);
  const profileSnapshot = useResources(cloudProfiles);
  // Computing thousands of totals must not delay input.
  const listed = useDeferredValue(clusterSnapshot.items);
  const pools = useDeferredValue(poolSnapshot.items);
  const profiles = useDeferredValue(profileSnapshot.items);
  const rows = useMemo(
    () => projectRows({ clusters: listed, nodePools: pools, cloudProfiles: profiles }),
    [listed, pools, profiles],
  );
  const snapshot = useDerivedSnapshot(rows, [clusterSnapshot, poolSnapshot, profileSnapshot]);
  const columns = useMemo(() => projectColumns(t), [t]);
  const filters = useMemo(
    (): readonly ListFilter<ProjectRow>[] => [
      { key: 'problems', title: t('filter.problems'), isIn: ({ problems }) => problems > 0 },
    ],
    [t],
  );
  return (
    <ListPage
      title={t('title')}
      snapshot={snapshot}
      columns={columns}
      searchText={searchText}
      searchLabel={t('search')}
      filters={filters}
      defaultSort={DEFAULT_SORT}
      emptyList={
        <EmptyList title={t('empty.title')} icon={CubesIcon}>
          {t('empty.body')}
        </EmptyList>
      }
    />
  );
}

const DEFAULT_SORT = { key: 'project', direction: 'asc' } as const;

function searchText({ metadata: { name }, plans }: ProjectRow): string {
  return `${name} ${plans.join(' ')}`;
}

function projectColumns(t: Translate<(typeof projectsTexts)['en']>): readonly Column<ProjectRow>[] {
  return [
    {
      key: 'project',
      title: t('column.project'),
      width: 25,
      sortBy: ({ metadata: { name } }) => name,
      cell: ({ metadata: { name } }) => (
        <Link href={`/operator/projects/${name}`} className="fw-name">
          {name}
        </Link>
      ),
    },
    { key: 'clusters', title: t('column.clusters'), sortBy: (row) => row.clusters, cell: (row) => row.clusters },
    {
      key: 'states',
      title: t('column.states'),
      width: 30,
      sortBy: ({ states }) => states.attention * 1_000_000 + states.progress * 1_000 + states.ready,
      cell: ({ states }) => <StateCounts states={states} />,
    },
    {
      key: 'nodes',
      title: t('column.nodes'),
      sortBy: ({ nodesDesired }) => nodesDesired,
      cell: ({ nodesReady, nodesDesired }) => `${nodesReady}/${nodesDesired}`,
    },
    { key: 'cores', title: t('column.cores'), sortBy: ({ cores }) => cores, cell: (row) => <CoreUsage of={row} /> },
    {
      key: 'problems',
      title: t('column.problems'),
      sortBy: ({ problems }) => problems,
      cell: ({ problems }) => (problems === 0 ? <span className="fw-quiet">0</span> : <strong>{problems}</strong>),
    },
  ];
}
