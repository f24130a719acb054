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
import { Outdated } from '../../app/outdated.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { StateLabel } from '../../app/state-label.tsx';
import { useText } from '../../text/use-text.ts';
import { useNow, When } from '../../text/when.tsx';
import { Figures } from '../operator/figures.tsx';
import { ShardMap } from './shard-map.tsx';
import { GROUP_SELECTOR, heardTimes, sharingOf } from './shards.ts';
import { replicasTexts } from './texts.ts';

const SYSTEM_NAMESPACE = 'fairway-system';

/** Which process of Fairway looks after how many clusters. */
export function Page() {
  const say = useText(replicasTexts);
  usePageTitle(say('title'));
  const ofLeases = useResources(leases, { namespace: SYSTEM_NAMESPACE, labelSelector: GROUP_SELECTOR });
  const ofClusters = useResources(clusters);
  const now = useNow(5_000);
  const [heard, setHeard] = useState<ReturnType<typeof heardTimes>>(new Map());
  useEffect(() => setHeard((before) => heardTimes(before, ofLeases.items, serverClock.nowMs())), [ofLeases.items]);
  const keys = useMemo(() => ofClusters.items.map(keyOf), [ofClusters.items]);
  const { replicas, shards } = useMemo(() => {
    const heardMs = new Map([...heard].map(([name, { ms }]) => [name, ms]));
    return sharingOf(ofLeases.items, keys, { heardMs, nowMs: now });
  }, [ofLeases.items, keys, heard, now]);
  const failure = ofLeases.failure ?? ofClusters.failure;
  const isKnown = ofLeases.isComplete && ofClusters.isComplete;
  return (
    <PageSection isFilled className="fw-op-page">
      <Title headingLevel="h1">{say('title')}</Title>
      <Outdated of={isKnown ? [ofLeases, ofClusters] : []} />
      {!isKnown && failure !== undefined && <FailureNotice failure={failure} />}
      {!isKnown && failure === undefined && <Spinner className="fw-page-spinner" aria-label={say('loading')} />}
      {isKnown && replicas.length === 0 && (
        <EmptyState titleText={say('one.title')} icon={ServerIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{say('one.body', { count: keys.length })}</p>
            <p className="fw-quiet">{say('one.more')}</p>
          </EmptyStateBody>
        </EmptyState>
      )}
      {isKnown && replicas.length > 0 && (
        <>
          <p className="fw-quiet fw-op-lead">{say('lead', { count: shards.length })}</p>
          <Figures
            figures={[
              { label: say('figure.replicas'), value: replicas.filter(({ isAlive }) => isAlive).length },
              { label: say('figure.clusters'), value: keys.length },
              { label: say('figure.moved'), value: shards.filter(({ hasMoved }) => hasMoved).length },
              unassignedFigure(say('figure.unheld'), shards.filter(({ holder }) => holder === undefined).length),
            ]}
          />
          <Table aria-label={say('table.label')} variant="compact" gridBreakPoint="grid-md" className="fw-op-numbers">
            <Thead>
              <Tr>
                <Th>{say('column.name')}</Th>
                <Th>{say('column.state')}</Th>
                <Th>{say('column.clusters')}</Th>
                <Th>{say('column.shards')}</Th>
                <Th>{say('column.since')}</Th>
                <Th>{say('column.heard')}</Th>
              </Tr>
            </Thead>
            <Tbody>
              {replicas.map((replica) => (
                <Tr key={replica.name}>
                  <Td dataLabel={say('column.name')} className="fw-name">
                    {replica.name}
                  </Td>
                  <Td dataLabel={say('column.state')}>
                    <StateLabel state={replica.isAlive ? 'ready' : 'attention'}>
                      {say(replica.isAlive ? 'state.alive' : 'state.dead')}
                    </StateLabel>
                  </Td>
                  <Td dataLabel={say('column.clusters')}>{replica.clusters}</Td>
                  <Td dataLabel={say('column.shards')}>{replica.shards}</Td>
                  <Td dataLabel={say('column.since')}>
                    <When at={replica.since} />
                  </Td>
                  <Td dataLabel={say('column.heard')}>
                    <When at={replica.heard} />
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

function unassignedFigure(label: string, value: number) {
  return { label, value, isBad: value > 0 };
}
