import { plainName } from '../../text/plain.ts';
import '../operator/operator.css';
import type { Plan } from '@fairway/api/kinds/plan';
import { TagIcon } from '@patternfly/react-icons/dist/esm/icons/tag-icon';
import { useMemo } from 'react';
import { clusters, keyOf, plans } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { StateLabel } from '../../app/state-label.tsx';
import type { Column } from '../../table/column.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { type ListFilter, ListPage } from '../../table/list-page.tsx';
import { type Translate, useText } from '../../text/use-text.ts';
import { useDerivedSnapshot } from '../operator/derived-snapshot.ts';
import { readyOf } from '../operator/ready-state.ts';
import { type PlanUsage, usageByPlan } from './plan-usage.ts';
import { plansTexts } from './texts.ts';

interface PlanRow extends Plan {
  readonly use: PlanUsage;
}

const UNUSED_PLAN: PlanUsage = { clusters: 0, projects: 0, nodes: 0 };

/** Plans and their usage. */
export function Page() {
  const t = useText(plansTexts);
  usePageTitle(t('title'));
  const planSnapshot = useResources(plans);
  // Users who may not list all clusters see no usage; otherwise every plan would look unused.
  const clusterSnapshot = useResources(clusters);
  const rows = useMemo((): readonly PlanRow[] => {
    if (!clusterSnapshot.isComplete) return [];
    const usages = usageByPlan(clusterSnapshot.items, ({ spec }) => spec.plan);
    return planSnapshot.items.map((plan) => ({ ...plan, use: usages.get(keyOf(plan)) ?? UNUSED_PLAN }));
  }, [planSnapshot.items, clusterSnapshot.items, clusterSnapshot.isComplete]);
  const snapshot = useDerivedSnapshot(rows, [planSnapshot, clusterSnapshot]);
  const columns = useMemo(() => columnsOf(t), [t]);
  const filters = useMemo(
    (): readonly ListFilter<PlanRow>[] => [
      { key: 'used', title: t('filter.used'), isIn: ({ use }) => use.clusters > 0 },
      { key: 'attention', title: t('filter.attention'), isIn: (plan) => readyOf(plan).state === 'attention' },
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
        <EmptyList title={t('empty.title')} icon={TagIcon}>
          {t('empty.body')}
        </EmptyList>
      }
    />
  );
}

const DEFAULT_SORT = { key: 'use', direction: 'desc' } as const;

function searchText({ metadata: { name }, spec: { displayName, description = '' } }: PlanRow): string {
  return `${name} ${displayName} ${description}`;
}

function columnsOf(t: Translate<(typeof plansTexts)['en']>): readonly Column<PlanRow>[] {
  return [
    {
      key: 'name',
      title: t('column.name'),
      width: 15,
      sortBy: keyOf,
      cell: ({ metadata: { name }, spec: { displayName, description } }) => (
        <div className="fw-op-two" title={plainName(description ?? '')}>
          <span className="fw-name">{name}</span>
          {displayName !== name && <span className="fw-quiet">{plainName(displayName)}</span>}
        </div>
      ),
    },
    {
      key: 'use',
      title: t('column.use'),
      width: 15,
      sortBy: ({ use }) => use.clusters,
      cell: ({ use: { clusters: count, projects, nodes } }) =>
        count === 0 ? (
          <span className="fw-quiet">{t('unused')}</span>
        ) : (
          <div className="fw-op-two">
            <span>
              {t('clusters', { count })} {t('projects', { count: projects })}
            </span>
            <span className="fw-quiet">{t('nodes', { count: nodes })}</span>
          </div>
        ),
    },
    {
      key: 'promise',
      title: t('column.promise'),
      width: 15,
      sortBy: ({ spec: { availability } }) => Number(availability.target),
      cell: ({ spec: { availability, controlPlane } }) => (
        <div className="fw-op-two">
          <span>
            {availability.target} % ({t(`promise.${availability.kind}`)})
          </span>
          <span className="fw-quiet">
            {t('copies', { count: controlPlane.replicas })}, {t(`promise.${controlPlane.topology}`)}
          </span>
        </div>
      ),
    },
    {
      key: 'limits',
      title: t('column.limits'),
      width: 20,
      sortBy: ({ spec: { maxNodes } }) => maxNodes,
      cell: ({ spec: { maxNodes, maxPodsPerNode, maxClusters, etcd } }) => (
        <div className="fw-op-two">
          <span>
            {t('limit.nodes', { count: maxNodes })}, {t('limit.pods', { count: maxPodsPerNode })}
          </span>
          <span className="fw-quiet">
            {t('limit.database', { from: etcd.baseMiB, to: etcd.maxMiB })}
            {maxClusters !== undefined && `, ${t('limit.clusters', { count: maxClusters })}`}
          </span>
        </div>
      ),
    },
    {
      key: 'choice',
      title: t('column.choice'),
      width: 25,
      cell: ({ spec: { allowed, cni } }) => {
        const names = (values: readonly string[] | undefined) => ({ names: values?.join(', ') ?? t('all') });
        const rest = [
          allowed?.images && t('choice.images', names(allowed.images)),
          allowed?.networks && t('choice.networks', names(allowed.networks)),
          t('choice.cni', names(cni.allowed)),
        ];
        return (
          <div className="fw-op-two">
            <span>{t('choice.flavors', names(allowed?.flavors))}</span>
            <span className="fw-quiet">{rest.filter(Boolean).join(' · ')}</span>
          </div>
        );
      },
    },
    {
      key: 'state',
      title: t('column.state'),
      sortBy: (plan) => readyOf(plan).state,
      cell: (plan) => {
        const { state, message } = readyOf(plan);
        return (
          <span title={plainName(message ?? '')}>
            <StateLabel state={state}>{t(`state.${state}`)}</StateLabel>
          </span>
        );
      },
    },
  ];
}
