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
import { type Say, useText } from '../../text/use-text.ts';
import { useDerivedSnapshot } from '../operator/derived-snapshot.ts';
import { readyOf } from '../operator/ready.ts';
import { type Use, useBy } from './plan-use.ts';
import { plansTexts } from './texts.ts';

interface PlanRow extends Plan {
  readonly use: Use;
}

const NOBODY: Use = { clusters: 0, projects: 0, nodes: 0 };

/** What is offered, and who has taken it. */
export function Page() {
  const say = useText(plansTexts);
  usePageTitle(say('title'));
  const ofPlans = useResources(plans);
  // Who may not see all clusters sees none of this: without them every plan would look unused.
  const ofClusters = useResources(clusters);
  const rows = useMemo((): readonly PlanRow[] => {
    if (!ofClusters.isComplete) return [];
    const uses = useBy(ofClusters.items, ({ spec }) => spec.plan);
    return ofPlans.items.map((plan) => ({ ...plan, use: uses.get(keyOf(plan)) ?? NOBODY }));
  }, [ofPlans.items, ofClusters.items, ofClusters.isComplete]);
  const snapshot = useDerivedSnapshot(rows, [ofPlans, ofClusters]);
  const columns = useMemo(() => columnsOf(say), [say]);
  const filters = useMemo(
    (): readonly ListFilter<PlanRow>[] => [
      { key: 'used', title: say('filter.used'), isIn: ({ use }) => use.clusters > 0 },
      { key: 'attention', title: say('filter.attention'), isIn: (plan) => readyOf(plan).state === 'attention' },
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
        <EmptyList title={say('empty.title')} icon={TagIcon}>
          {say('empty.body')}
        </EmptyList>
      }
    />
  );
}

const FIRST_SORT = { key: 'use', direction: 'desc' } as const;

function searchedText({ metadata: { name }, spec: { displayName, description = '' } }: PlanRow): string {
  return `${name} ${displayName} ${description}`;
}

function columnsOf(say: Say<(typeof plansTexts)['en']>): readonly Column<PlanRow>[] {
  return [
    {
      key: 'name',
      title: say('column.name'),
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
      title: say('column.use'),
      width: 15,
      sortBy: ({ use }) => use.clusters,
      cell: ({ use: { clusters: count, projects, nodes } }) =>
        count === 0 ? (
          <span className="fw-quiet">{say('unused')}</span>
        ) : (
          <div className="fw-op-two">
            <span>
              {say('clusters', { count })} {say('projects', { count: projects })}
            </span>
            <span className="fw-quiet">{say('nodes', { count: nodes })}</span>
          </div>
        ),
    },
    {
      key: 'promise',
      title: say('column.promise'),
      width: 15,
      sortBy: ({ spec: { availability } }) => Number(availability.target),
      cell: ({ spec: { availability, controlPlane } }) => (
        <div className="fw-op-two">
          <span>
            {availability.target} % ({say(`promise.${availability.kind}`)})
          </span>
          <span className="fw-quiet">
            {say('copies', { count: controlPlane.replicas })}, {say(`promise.${controlPlane.topology}`)}
          </span>
        </div>
      ),
    },
    {
      key: 'limits',
      title: say('column.limits'),
      width: 20,
      sortBy: ({ spec: { maxNodes } }) => maxNodes,
      cell: ({ spec: { maxNodes, maxPodsPerNode, maxClusters, etcd } }) => (
        <div className="fw-op-two">
          <span>
            {say('limit.nodes', { count: maxNodes })}, {say('limit.pods', { count: maxPodsPerNode })}
          </span>
          <span className="fw-quiet">
            {say('limit.database', { from: etcd.baseMiB, to: etcd.maxMiB })}
            {maxClusters !== undefined && `, ${say('limit.clusters', { count: maxClusters })}`}
          </span>
        </div>
      ),
    },
    {
      key: 'choice',
      title: say('column.choice'),
      width: 25,
      cell: ({ spec: { allowed, cni } }) => {
        const names = (values: readonly string[] | undefined) => ({ names: values?.join(', ') ?? say('all') });
        const rest = [
          allowed?.images && say('choice.images', names(allowed.images)),
          allowed?.networks && say('choice.networks', names(allowed.networks)),
          say('choice.cni', names(cni.allowed)),
        ];
        return (
          <div className="fw-op-two">
            <span>{say('choice.flavors', names(allowed?.flavors))}</span>
            <span className="fw-quiet">{rest.filter(Boolean).join(' · ')}</span>
          </div>
        );
      },
    },
    {
      key: 'state',
      title: say('column.state'),
      sortBy: (plan) => readyOf(plan).state,
      cell: (plan) => {
        const { state, message } = readyOf(plan);
        return (
          <span title={plainName(message ?? '')}>
            <StateLabel state={state}>{say(`state.${state}`)}</StateLabel>
          </span>
        );
      },
    },
  ];
}
