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
import { useNow } from '../../text/relative-time.tsx';
import { useText } from '../../text/use-text.ts';
import { useDerivedSnapshot } from '../operator/derived-snapshot.ts';
import { stuckAction } from './actions.ts';
import { stuckColumns } from './columns.tsx';
import { type StuckObject, stuckObjectOf } from './stuck-objects.ts';
import { stuckTexts } from './texts.ts';

const THRESHOLDS = [0, 5, 15, 60, 1440] as const;
const MINUTE_MS = 60_000;

/** Objects with persistent problems, oldest first. */
export function Page() {
  const t = useText(stuckTexts);
  usePageTitle(t('title'));
  const [minutes, setMinutes] = useState<(typeof THRESHOLDS)[number]>(15);
  const [action, setAction] = useState<Action>();
  const clusterSnapshot = useResources(clusters);
  const poolSnapshot = useResources(nodePools);
  const machineSnapshot = useResources(machines);
  const listed = useDeferredValue(clusterSnapshot.items);
  const pools = useDeferredValue(poolSnapshot.items);
  const servers = useDeferredValue(machineSnapshot.items);
  const stuckCandidates = useMemo(
    () => [
      ...listed.flatMap((object) => stuckObjectOf('Cluster', object) ?? []),
      ...pools.flatMap((object) => stuckObjectOf('NodePool', object) ?? []),
      ...servers.flatMap((object) => stuckObjectOf('Machine', object) ?? []),
    ],
    [listed, pools, servers],
  );
  const now = useNow();
  const stuckObjects = useMemo(
    () =>
      minutes === 0 ? stuckCandidates : stuckCandidates.filter(({ sinceMs }) => now - sinceMs >= minutes * MINUTE_MS),
    [stuckCandidates, minutes, now],
  );
  const snapshot = useDerivedSnapshot(stuckObjects, [clusterSnapshot, poolSnapshot, machineSnapshot]);
  const columns = useMemo(
    () => stuckColumns(t, (stuckObject, name) => setAction(stuckAction(stuckObject, name, t))),
    [t],
  );
  const filters = useMemo(
    () =>
      (['operator', 'cloud', 'user', 'fairway'] as const).map(
        (turn): ListFilter<StuckObject> => ({
          key: turn,
          title: t(`filter.${turn}`),
          isIn: (row) => row.turn === turn,
        }),
      ),
    [t],
  );
  const threshold = (
    <label className="fw-op-threshold">
      <span>{t('since.label')}</span>
      <FormSelect
        value={minutes}
        onChange={(_event, value) => setMinutes(THRESHOLDS.find((each) => String(each) === value) ?? 15)}
        aria-label={t('since.label')}
      >
        {THRESHOLDS.map((each) => (
          <FormSelectOption key={each} value={each} label={t(`since.${each}`)} />
        ))}
      </FormSelect>
    </label>
  );
  return (
    <>
      <ListPage
        title={t('title')}
        snapshot={snapshot}
        columns={columns}
        searchText={searchText}
        searchLabel={t('search')}
        filters={filters}
        defaultSort={DEFAULT_SORT}
        action={threshold}
        emptyList={
          <>
            {threshold}
            <EmptyList title={t('empty.title')} icon={CheckCircleIcon}>
              {t('empty.body')}
            </EmptyList>
          </>
        }
      />
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </>
  );
}

const DEFAULT_SORT = { key: 'since', direction: 'asc' } as const;

function searchText({ kind, namespace, name, cluster, reason, message }: StuckObject): string {
  return `${kind} ${namespace} ${cluster} ${name} ${reason} ${message}`;
}
