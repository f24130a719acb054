import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { EmptyState, EmptyStateBody, EmptyStateFooter } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { Link } from 'wouter';
import { NotKnown } from '../../app/outdated.tsx';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { clusterTexts } from './texts.ts';

export interface PoolsPanelProps {
  readonly cluster: Cluster;
  /** Undefined while they are not known. */
  readonly pools: readonly NodePool[] | undefined;
}

/** The pools of the cluster, each with what is asked for and what there is. */
export function PoolsPanel({ cluster, pools }: PoolsPanelProps) {
  const say = useText(clusterTexts);
  const base = `/clusters/${cluster.metadata.namespace}/${cluster.metadata.name}`;
  const add = (
    <Link href={`${base}/add-pool`} className="pf-v6-c-button pf-m-secondary">
      {say('pools.add')}
    </Link>
  );
  if (pools === undefined) {
    return (
      <section className="fw-panel" aria-labelledby="pools-title">
        <h2 id="pools-title">{say('pools.title')}</h2>
        <NotKnown />
      </section>
    );
  }
  if (pools.length === 0) {
    return (
      <section className="fw-panel">
        <EmptyState titleText={say('pools.none')} headingLevel="h2" variant="sm">
          <EmptyStateBody>{say('pools.none.body')}</EmptyStateBody>
          <EmptyStateFooter>{add}</EmptyStateFooter>
        </EmptyState>
      </section>
    );
  }
  return (
    <section className="fw-panel" aria-labelledby="pools-title">
      <div className="fw-panel-head">
        <h2 id="pools-title">{say('pools.title')}</h2>
        {add}
      </div>
      <Table aria-label={say('pools.title')} variant="compact">
        <Thead>
          <Tr>
            <Th>{say('pools.name')}</Th>
            <Th>{say('pools.flavor')}</Th>
            <Th>{say('pools.nodes')}</Th>
            <Th>{say('pools.size')}</Th>
            <Th>{say('pools.version')}</Th>
            <Th screenReaderText={say('actions')} />
          </Tr>
        </Thead>
        <Tbody>
          {pools.map((pool) => (
            <PoolRow key={pool.metadata.uid} pool={pool} base={base} />
          ))}
        </Tbody>
      </Table>
    </section>
  );
}

function PoolRow({ pool: { metadata, spec, status }, base }: { readonly pool: NodePool; readonly base: string }) {
  const say = useText(clusterTexts);
  const { name = '' } = metadata;
  const isGoing = metadata.deletionTimestamp !== undefined;
  const size = spec.autoscaling.enabled
    ? say('pools.size.auto', { min: spec.minReplicas, max: spec.maxReplicas ?? 100 })
    : say('pools.size.fixed', { replicas: spec.replicas });
  return (
    <Tr>
      <Td dataLabel={say('pools.name')} className="fw-name">
        {name}
      </Td>
      <Td dataLabel={say('pools.flavor')}>{plainName(status?.flavorName ?? spec.flavor)}</Td>
      <Td dataLabel={say('pools.nodes')}>{status?.readySummary ?? `–/${spec.replicas}`}</Td>
      <Td dataLabel={say('pools.size')}>{isGoing ? say('pools.deleting') : size}</Td>
      <Td dataLabel={say('pools.version')}>{status?.version ?? '–'}</Td>
      <Td>
        {!isGoing && (
          <Link href={`${base}/pools/${name}`} aria-label={say('pools.edit.label', { name })}>
            {say('pools.edit')}
          </Link>
        )}
      </Td>
    </Tr>
  );
}
