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

/** The list of clusters. */
export function Page() {
  const t = useText(clustersTexts);
  usePageTitle(t('title'));
  const { namespace } = useSession();
  const snapshot = useResources(clusters, { namespace });
  const columns = useMemo(() => clusterColumns(t, namespace === undefined), [t, namespace]);
  const filters = useMemo(() => stateFilters((state) => t(`filter.${state}`), clusterState), [t]);
  const canCreate = useHasPage('/clusters/new');
  const create = canCreate && (
    <Link href="/clusters/new" className="pf-v6-c-button pf-m-primary">
      {t('create')}
    </Link>
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
      action={create}
      emptyList={
        <EmptyState titleText={t('empty.title')} icon={CubesIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{t('empty.body')}</p>
            <p>{t('empty.kubectl')}</p>
          </EmptyStateBody>
          <EmptyStateFooter>
            <EmptyStateActions>{create}</EmptyStateActions>
          </EmptyStateFooter>
        </EmptyState>
      }
    />
  );
}

const DEFAULT_SORT = { key: 'name', direction: 'asc' } as const;

function searchText({ metadata: { namespace, name }, spec, status }: Cluster): string {
  return `${name} ${namespace} ${status?.version ?? spec.version} ${spec.plan} ${status?.phase}`;
}
