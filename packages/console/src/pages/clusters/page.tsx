import type { Cluster } from '@fairway/api/kinds/cluster';
import {
  EmptyState,
  EmptyStateActions,
  EmptyStateBody,
  EmptyStateFooter,
} from '@patternfly/react-core/dist/esm/components/EmptyState';
import { CubesIcon } from '@patternfly/react-icons/dist/esm/icons/cubes-icon';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { clusters } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { useHasPage } from '../../app/page-paths.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { useSession } from '../../session/session.ts';
import { ListPage } from '../../table/list-page.tsx';
import { stateFilters } from '../../table/state-filters.ts';
import { useText } from '../../text/use-text.ts';
import { clusterState } from './cluster-state.ts';
import { clusterColumns } from './columns.tsx';
import { clustersTexts } from './texts.ts';

/** Clusters at a glance. */
export function Page() {
  const say = useText(clustersTexts);
  usePageTitle(say('title'));
  const { namespace } = useSession();
  const snapshot = useResources(clusters, { namespace });
  const columns = useMemo(() => clusterColumns(say, namespace === undefined), [say, namespace]);
  const filters = useMemo(() => stateFilters((state) => say(`filter.${state}`), clusterState), [say]);
  const canCreate = useHasPage('/clusters/new');
  const create = canCreate && (
    <Link href="/clusters/new" className="pf-v6-c-button pf-m-primary">
      {say('create')}
    </Link>
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
      action={create}
      empty={
        <EmptyState titleText={say('empty.title')} icon={CubesIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{say('empty.body')}</p>
            <p>{say('empty.kubectl')}</p>
          </EmptyStateBody>
          <EmptyStateFooter>
            <EmptyStateActions>{create}</EmptyStateActions>
          </EmptyStateFooter>
        </EmptyState>
      }
    />
  );
}

const FIRST_SORT = { key: 'name', direction: 'asc' } as const;

function searchedText({ metadata: { namespace, name }, spec, status }: Cluster): string {
  return `${name} ${namespace} ${status?.version ?? spec.version} ${spec.plan} ${status?.phase}`;
}
