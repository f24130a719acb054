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
import { type Say, useText } from '../../text/use-text.ts';
import { useDerivedSnapshot } from '../operator/derived-snapshot.ts';
import { StateCounts } from '../operator/state-counts.tsx';
import { Cores } from './cores.tsx';
import { type ProjectRow, projectRows } from './project-rows.ts';
import { projectsTexts } from './texts.ts';

/** All projects in sums. */
export function Page() {
  const say = useText(projectsTexts);
  usePageTitle(say('title'));
  const ofClusters = useResources(clusters);
  const ofPools = useResources(nodePools);
  const ofProfiles = useResources(cloudProfiles);
  // Sums of thousands wait for what the reader does.
  const listed = useDeferredValue(ofClusters.items);
  const pools = useDeferredValue(ofPools.items);
  const profiles = useDeferredValue(ofProfiles.items);
  const rows = useMemo(
    () => projectRows({ clusters: listed, nodePools: pools, cloudProfiles: profiles }),
    [listed, pools, profiles],
  );
  const snapshot = useDerivedSnapshot(rows, [ofClusters, ofPools, ofProfiles]);
  const columns = useMemo(() => projectColumns(say), [say]);
  const filters = useMemo(
    (): readonly ListFilter<ProjectRow>[] => [
      { key: 'problems', title: say('filter.problems'), isIn: ({ problems }) => problems > 0 },
    ],
    [say],
  );
  return (
    <ListPage
      title={say('title')}
      snapshot={snapshot}
      columns={columns}
      searched={searchedText}
      searchLabel={say('search')}
      filters={filters}
      firstSort={FIRST_SORT}
      empty={
        <EmptyList title={say('empty.title')} icon={CubesIcon}>
          {say('empty.body')}
        </EmptyList>
      }
    />
  );
}

const FIRST_SORT = { key: 'project', direction: 'asc' } as const;

function searchedText({ metadata: { name }, plans }: ProjectRow): string {
  return `${name} ${plans.join(' ')}`;
}

function projectColumns(say: Say<(typeof projectsTexts)['en']>): readonly Column<ProjectRow>[] {
  return [
    {
      key: 'project',
      title: say('column.project'),
      width: 25,
      sortBy: ({ metadata: { name } }) => name,
      cell: ({ metadata: { name } }) => (
        <Link href={`/operator/projects/${name}`} className="fw-name">
          {name}
        </Link>
      ),
    },
    { key: 'clusters', title: say('column.clusters'), sortBy: (row) => row.clusters, cell: (row) => row.clusters },
    {
      key: 'states',
      title: say('column.states'),
      width: 30,
      sortBy: ({ states }) => states.attention * 1_000_000 + states.progress * 1_000 + states.ready,
      cell: ({ states }) => <StateCounts states={states} />,
    },
    {
      key: 'nodes',
      title: say('column.nodes'),
      sortBy: ({ nodesDesired }) => nodesDesired,
      cell: ({ nodesReady, nodesDesired }) => `${nodesReady}/${nodesDesired}`,
    },
    { key: 'cores', title: say('column.cores'), sortBy: ({ cores }) => cores, cell: (row) => <Cores of={row} /> },
    {
      key: 'problems',
      title: say('column.problems'),
      sortBy: ({ problems }) => problems,
      cell: ({ problems }) => (problems === 0 ? <span className="fw-quiet">0</span> : <strong>{problems}</strong>),
    },
  ];
}
