import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';
import { ServerIcon } from '@patternfly/react-icons/dist/esm/icons/server-icon';
import { useMemo } from 'react';
import { machines } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { MaybeLink } from '../../app/maybe-link.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { type DisplayState, StateLabel } from '../../app/state-label.tsx';
import { useSession } from '../../session/session.ts';
import type { Column } from '../../table/column.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { ListPage } from '../../table/list-page.tsx';
import { stateFilters } from '../../table/state-filters.ts';
import { plainName } from '../../text/plain.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { type Translate, useText } from '../../text/use-text.ts';
import { clusterTexts } from '../cluster/texts.ts';
import { machinesTexts } from './texts.ts';

/** All machines in the project, across its clusters. */
export function Page() {
  const t = useText(machinesTexts);
  const tPhase = useText(clusterTexts);
  usePageTitle(t('title'));
  const { namespace } = useSession();
  const snapshot = useResources(machines, { namespace });
  const columns = useMemo(() => machineColumns(t, tPhase), [t, tPhase]);
  const filters = useMemo(() => stateFilters((state) => t(`filter.${state}`), machineState), [t]);
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
        <EmptyList title={t('empty.title')} icon={ServerIcon}>
          {t('empty.body')}
        </EmptyList>
      }
    />
  );
}

const DEFAULT_SORT = { key: 'name', direction: 'asc' } as const;

const BY_PHASE: Readonly<Record<MachinePhase, DisplayState>> = {
  Pending: 'progress',
  Installing: 'progress',
  Ready: 'ready',
  NotReady: 'attention',
  Draining: 'progress',
  Terminated: 'progress',
};

function machineState({ status }: Machine): DisplayState {
  const operation = status?.lastOperation?.state;
  return operation === 'Error' || operation === 'Failed' ? 'attention' : BY_PHASE[status?.phase ?? 'Pending'];
}

function searchText({ metadata: { name }, spec, status }: Machine): string {
  const { clusterName, nodePoolName, flavor, zone } = spec;
  return `${name} ${clusterName} ${nodePoolName} ${flavor} ${status?.zone ?? zone} ${status?.address} ${status?.phase} ${status?.version}`;
}

function machineColumns(
  t: Translate<(typeof machinesTexts)['en']>,
  tPhase: Translate<(typeof clusterTexts)['en']>,
): readonly Column<Machine>[] {
  const textColumn = (
    key: 'cluster' | 'pool' | 'flavor' | 'zone' | 'address' | 'version',
    value: (row: Machine) => string,
  ) => ({
    key,
    title: t(`column.${key}`),
    sortBy: value,
    cell: (row: Machine) => plainName(value(row)),
  });
  return [
    { key: 'name', title: t('column.name'), width: 20, sortBy: nameOf, cell: nameOf },
    {
      key: 'cluster',
      title: t('column.cluster'),
      sortBy: ({ spec }) => spec.clusterName,
      cell: ({ metadata: { namespace }, spec: { clusterName } }) => (
        <MaybeLink page="/clusters/:namespace/:name" href={`/clusters/${namespace}/${clusterName}`}>
          {clusterName}
        </MaybeLink>
      ),
    },
    textColumn('pool', ({ spec }) => spec.nodePoolName),
    {
      key: 'status',
      title: t('column.status'),
      sortBy: (machine) => `${machineState(machine)} ${machine.status?.phase}`,
      cell: (machine) => (
        <StateLabel state={machineState(machine)}>{tPhase(`phase.${machine.status?.phase ?? 'Pending'}`)}</StateLabel>
      ),
    },
    textColumn('flavor', ({ spec }) => spec.flavor),
    textColumn('zone', ({ spec, status }) => status?.zone ?? spec.zone ?? ''),
    textColumn('address', ({ status }) => status?.address ?? ''),
    textColumn('version', ({ spec, status }) => status?.version ?? spec.version),
    {
      key: 'created',
      title: t('column.created'),
      sortBy: ({ metadata: { creationTimestamp = '' } }) => creationTimestamp,
      cell: ({ metadata: { creationTimestamp } }) => <RelativeTime at={creationTimestamp} />,
    },
  ];
}

function nameOf({ metadata: { name = '' } }: Machine): string {
  return name;
}
