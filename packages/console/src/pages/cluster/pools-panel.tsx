import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { EmptyState, EmptyStateBody, EmptyStateFooter } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { Link } from 'wouter';
import { UnknownNotice } from '../../app/outdated-notice.tsx';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { clusterTexts } from './texts.ts';

export interface PoolsPanelProps {
  readonly cluster: Cluster;
  /** Undefined while unknown. */
  readonly pools: readonly NodePool[] | undefined;
}

/** The cluster's pools, with desired and actual sizes. */
export function PoolsPanel({ cluster, pools }: PoolsPanelProps) {
  const t = useText(clusterTexts);
  const base = `/clusters/${cluster.metadata.namespace}/${cluster.metadata.name}`;
  const add = (
    <Link href={`${base}/add-pool`} className="pf-v6-c-button pf-m-secondary">
      {t('pools.add')}
    </Link>
  );
  if (pools === undefined) {
    return (
      <section className="fw-panel" aria-labelledby="pools-title">
        <h2 id="pools-title">{t('pools.title')}</h2>
        <UnknownNotice />
      </section>
    );
  }
  if (pools.length === 0) {
    return (
      <section className="fw-panel">
        <EmptyState titleText={t('pools.none')} headingLevel="h2" variant="sm">
          <EmptyStateBody>{t('pools.none.body')}</EmptyStateBody>
          <EmptyStateFooter>{add}</EmptyStateFooter>
        </EmptyState>
      </section>
    );
  }
  return (
    <section className="fw-panel" aria-labelledby="pools-title">
      <div className="fw-panel-head">
        <h2 id="pools-title">{t('pools.title')}</h2>
        {add}
      </div>
      <Table aria-label={t('pools.title')} variant="compact">
        <Thead>
          <Tr>
            <Th>{t('pools.name')}</Th>
            <Th>{t('pools.flavor')}</Th>
            <Th>{t('pools.nodes')}</Th>
            <Th>{t('pools.size')}</Th>
            <Th>{t('pools.version')}</Th>
            <Th screenReaderText={t('actions')} />
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
  const t = useText(clusterTexts);
  const { name = '' } = metadata;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  const size = spec.autoscaling.enabled
    ? t('pools.size.auto', { min: spec.minReplicas, max: spec.maxReplicas ?? 100 })
    : t('pools.size.fixed', { replicas: spec.replicas });
  return (
    <Tr>
      <Td dataLabel={t('pools.name')} className="fw-name">
        {name}
      </Td>
      <Td dataLabel={t('pools.flavor')}>{plainName(status?.flavorName ?? spec.flavor)}</Td>
      <Td dataLabel={t('pools.nodes')}>{status?.readySummary ?? `–/${spec.replicas}`}</Td>
      <Td dataLabel={t('pools.size')}>{isDeleting ? t('pools.deleting') : size}</Td>
      <Td dataLabel={t('pools.version')}>{status?.version ?? '–'}</Td>
      <Td>
        {!isDeleting && (
          <Link href={`${base}/pools/${name}`} aria-label={t('pools.edit.label', { name })}>
            {t('pools.edit')}
          </Link>
        )}
      </Td>
    </Tr>
  );
}
