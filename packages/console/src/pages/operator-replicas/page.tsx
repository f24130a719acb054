import '../operator/operator.css';
import { EmptyState, EmptyStateBody } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { ServerIcon } from '@patternfly/react-icons/dist/esm/icons/server-icon';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useEffect, useMemo, useState } from 'react';
import { clusters, keyOf, leases } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { useResources } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { OutdatedNotice } from '../../app/outdated-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { StateLabel } from '../../app/state-label.tsx';
import { RelativeTime, useNow } from '../../text/relative-time.tsx';
import { useText } from '../../text/use-text.ts';
import { Figures } from '../operator/figures.tsx';
import { ShardMap } from './shard-map.tsx';
import { GROUP_SELECTOR, renewalTimes, shardStateOf } from './shards.ts';
import { replicasTexts } from './texts.ts';

const SYSTEM_NAMESPACE = 'fairway-system';

/** The replicas of Fairway, and the number of clusters that each one works on. */
export function Page() {
  const t = useText(replicasTexts);
  usePageTitle(t('title'));
  const leaseSnapshot = useResources(leases, { namespace: SYSTEM_NAMESPACE, labelSelector: GROUP_SELECTOR });
  const clusterSnapshot = useResources(clusters);
  const now = useNow(5_000);
  const [heardMsByReplica, setHeardMsByReplica] = useState<ReturnType<typeof renewalTimes>>(new Map());
  useEffect(
    () => setHeardMsByReplica((before) => renewalTimes(before, leaseSnapshot.items, serverClock.nowMs())),
    [leaseSnapshot.items],
  );
  const keys = useMemo(() => clusterSnapshot.items.map(keyOf), [clusterSnapshot.items]);
  const { replicas, shards } = useMemo(() => {
    const heardMs = new Map([...heardMsByReplica].map(([name, { ms }]) => [name, ms]));
    return shardStateOf(leaseSnapshot.items, keys, { heardMs, nowMs: now });
  }, [leaseSnapshot.items, keys, heardMsByReplica, now]);
  const failure = leaseSnapshot.failure ?? clusterSnapshot.failure;
  const isKnown = leaseSnapshot.isComplete && clusterSnapshot.isComplete;
  return (
    <PageSection isFilled className="fw-op-page">
      <Title headingLevel="h1">{t('title')}</Title>
      <OutdatedNotice of={isKnown ? [leaseSnapshot, clusterSnapshot] : []} />
      {!isKnown && failure !== undefined && <FailureNotice failure={failure} />}
      {!isKnown && failure === undefined && <Spinner className="fw-page-spinner" aria-label={t('loading')} />}
      {isKnown && replicas.length === 0 && (
        <EmptyState titleText={t('one.title')} icon={ServerIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{t('one.body', { count: keys.length })}</p>
            <p className="fw-quiet">{t('one.more')}</p>
          </EmptyStateBody>
        </EmptyState>
      )}
      {isKnown && replicas.length > 0 && (
        <>
          <p className="fw-quiet fw-op-lead">{t('lead', { count: shards.length })}</p>
          <Figures
            figures={[
              { label: t('figure.replicas'), value: replicas.filter(({ isAlive }) => isAlive).length },
              { label: t('figure.clusters'), value: keys.length },
              { label: t('figure.moved'), value: shards.filter(({ hasMoved }) => hasMoved).length },
              unassignedShards(t('figure.unheld'), shards.filter(({ holder }) => holder === undefined).length),
            ]}
          />
          <Table aria-label={t('table.label')} variant="compact" gridBreakPoint="grid-md" className="fw-op-numbers">
            <Thead>
              <Tr>
                <Th>{t('column.name')}</Th>
                <Th>{t('column.state')}</Th>
                <Th>{t('column.clusters')}</Th>
                <Th>{t('column.shards')}</Th>
                <Th>{t('column.since')}</Th>
                <Th>{t('column.heard')}</Th>
              </Tr>
            </Thead>
            <Tbody>
              {replicas.map((replica) => (
                <Tr key={replica.name}>
                  <Td dataLabel={t('column.name')} className="fw-name">
                    {replica.name}
                  </Td>
                  <Td dataLabel={t('column.state')}>
                    <StateLabel state={replica.isAlive ? 'ready' : 'attention'}>
                      {t(replica.isAlive ? 'state.alive' : 'state.dead')}
                    </StateLabel>
                  </Td>
                  <Td dataLabel={t('column.clusters')}>{replica.clusters}</Td>
                  <Td dataLabel={t('column.shards')}>{replica.shards}</Td>
                  <Td dataLabel={t('column.since')}>
                    <RelativeTime at={replica.since} />
                  </Td>
                  <Td dataLabel={t('column.heard')}>
                    <RelativeTime at={replica.lastRenewal} />
                  </Td>
                </Tr>
              ))}
            </Tbody>
          </Table>
          <ShardMap shards={shards} replicas={replicas} />
        </>
      )}
    </PageSection>
  );
}

function unassignedShards(label: string, value: number) {
  return { label, value, isBad: value > 0 };
}
