import '../operator/operator.css';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { CheckCircleIcon } from '@patternfly/react-icons/dist/esm/icons/check-circle-icon';
import { useDeferredValue, useMemo, useState } from 'react';
import { clusters, machines, nodePools } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { type ListFilter, ListPage } from '../../table/list-page.tsx';
import { useText } from '../../text/use-text.ts';
import { useNow } from '../../text/when.tsx';
import { useDerivedSnapshot } from '../operator/derived-snapshot.ts';
import { actionOn } from './actions.ts';
import { stuckColumns } from './columns.tsx';
import { stuckTexts } from './texts.ts';
import { type Trouble, troubleOf } from './trouble.ts';

const THRESHOLDS = [0, 5, 15, 60, 1440] as const;
const MINUTE_MS = 60_000;

/** What has not been as it should be for a while, the oldest first. */
export function Page() {
  const say = useText(stuckTexts);
  usePageTitle(say('title'));
  const [minutes, setMinutes] = useState<(typeof THRESHOLDS)[number]>(15);
  const [action, setAction] = useState<Action>();
  const ofClusters = useResources(clusters);
  const ofPools = useResources(nodePools);
  const ofMachines = useResources(machines);
  const listed = useDeferredValue(ofClusters.items);
  const pools = useDeferredValue(ofPools.items);
  const servers = useDeferredValue(ofMachines.items);
  const troubles = useMemo(
    () => [
      ...listed.flatMap((object) => troubleOf('Cluster', object) ?? []),
      ...pools.flatMap((object) => troubleOf('NodePool', object) ?? []),
      ...servers.flatMap((object) => troubleOf('Machine', object) ?? []),
    ],
    [listed, pools, servers],
  );
  const now = useNow();
  const stuck = useMemo(
    () => (minutes === 0 ? troubles : troubles.filter(({ sinceMs }) => now - sinceMs >= minutes * MINUTE_MS)),
    [troubles, minutes, now],
  );
  const snapshot = useDerivedSnapshot(stuck, [ofClusters, ofPools, ofMachines]);
  const columns = useMemo(() => stuckColumns(say, (trouble, name) => setAction(actionOn(trouble, name, say))), [say]);
  const filters = useMemo(
    () =>
      (['operator', 'cloud', 'user', 'fairway'] as const).map(
        (turn): ListFilter<Trouble> => ({ key: turn, title: say(`filter.${turn}`), isIn: (row) => row.turn === turn }),
      ),
    [say],
  );
  const threshold = (
    <label className="fw-op-threshold">
      <span>{say('since.label')}</span>
      <FormSelect
        value={minutes}
        onChange={(_event, value) => setMinutes(THRESHOLDS.find((each) => String(each) === value) ?? 15)}
        aria-label={say('since.label')}
      >
        {THRESHOLDS.map((each) => (
          <FormSelectOption key={each} value={each} label={say(`since.${each}`)} />
        ))}
      </FormSelect>
    </label>
  );
  return (
    <>
      <ListPage
        title={say('title')}
        snapshot={snapshot}
        columns={columns}
        searched={searchedText}
        searchLabel={say('search')}
        filters={filters}
        firstSort={FIRST_SORT}
        action={threshold}
        empty={
          <>
            {threshold}
            <EmptyList title={say('empty.title')} icon={CheckCircleIcon}>
              {say('empty.body')}
            </EmptyList>
          </>
        }
      />
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}

const FIRST_SORT = { key: 'since', direction: 'asc' } as const;

function searchedText({ kind, namespace, name, cluster, reason, message }: Trouble): string {
  return `${kind} ${namespace} ${cluster} ${name} ${reason} ${message}`;
}
