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
import { type Say, useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { clusterTexts } from '../cluster/texts.ts';
import { machinesTexts } from './texts.ts';

/** All machines of the project, of whatever cluster. */
export function Page() {
  const say = useText(machinesTexts);
  const sayPhase = useText(clusterTexts);
  usePageTitle(say('title'));
  const { namespace } = useSession();
  const snapshot = useResources(machines, { namespace });
  const columns = useMemo(() => machineColumns(say, sayPhase), [say, sayPhase]);
  const filters = useMemo(() => stateFilters((state) => say(`filter.${state}`), machineState), [say]);
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
        <EmptyList title={say('empty.title')} icon={ServerIcon}>
          {say('empty.body')}
        </EmptyList>
      }
    />
  );
}

const FIRST_SORT = { key: 'name', direction: 'asc' } as const;

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

function searchedText({ metadata: { name }, spec, status }: Machine): string {
  const { clusterName, nodePoolName, flavor, zone } = spec;
  return `${name} ${clusterName} ${nodePoolName} ${flavor} ${status?.zone ?? zone} ${status?.address} ${status?.phase} ${status?.version}`;
}

function machineColumns(
  say: Say<(typeof machinesTexts)['en']>,
  sayPhase: Say<(typeof clusterTexts)['en']>,
): readonly Column<Machine>[] {
  const plain = (
    key: 'cluster' | 'pool' | 'flavor' | 'zone' | 'address' | 'version',
    value: (row: Machine) => string,
  ) => ({
    key,
    title: say(`column.${key}`),
    sortBy: value,
    cell: (row: Machine) => plainName(value(row)),
  });
  return [
    { key: 'name', title: say('column.name'), width: 20, sortBy: nameOf, cell: nameOf },
    {
      key: 'cluster',
      title: say('column.cluster'),
      sortBy: ({ spec }) => spec.clusterName,
      cell: ({ metadata: { namespace }, spec: { clusterName } }) => (
        <MaybeLink page="/clusters/:namespace/:name" href={`/clusters/${namespace}/${clusterName}`}>
          {clusterName}
        </MaybeLink>
      ),
    },
    plain('pool', ({ spec }) => spec.nodePoolName),
    {
      key: 'status',
      title: say('column.status'),
      sortBy: (machine) => `${machineState(machine)} ${machine.status?.phase}`,
      cell: (machine) => (
        <StateLabel state={machineState(machine)}>{sayPhase(`phase.${machine.status?.phase ?? 'Pending'}`)}</StateLabel>
      ),
    },
    plain('flavor', ({ spec }) => spec.flavor),
    plain('zone', ({ spec, status }) => status?.zone ?? spec.zone ?? ''),
    plain('address', ({ status }) => status?.address ?? ''),
    plain('version', ({ spec, status }) => status?.version ?? spec.version),
    {
      key: 'created',
      title: say('column.created'),
      sortBy: ({ metadata: { creationTimestamp = '' } }) => creationTimestamp,
      cell: ({ metadata: { creationTimestamp } }) => <When at={creationTimestamp} />,
    },
  ];
}

function nameOf({ metadata: { name = '' } }: Machine): string {
  return name;
}
