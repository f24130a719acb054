import '../operator/operator.css';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useEffect, useMemo, useState } from 'react';
import type { Failure } from '../../api/failure.ts';
import { configMaps } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { useResources } from '../../api/use-resources.ts';
import { change } from '../../api/write.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { OutdatedNotice } from '../../app/outdated-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { type Translate, useText } from '../../text/use-text.ts';
import { pollMetrics } from '../operator/poll-metrics.ts';
import { DeletedClusters } from './deleted-clusters.tsx';
import { OrphanEvents } from './orphan-events.tsx';
import {
  CLUSTER_ENDED_LABEL,
  type DeletedCluster,
  deletedClusters,
  ORPHANS_METRIC,
  type OrphanCount,
  orphanCounts,
} from './orphans.ts';
import { orphansTexts } from './texts.ts';

const SYSTEM_NAMESPACE = 'fairway-system';
const READ_INTERVAL_MS = 60_000;

/** Resources of deleted clusters that still exist in the cloud. */
export function Page() {
  const t = useText(orphansTexts);
  usePageTitle(t('title'));
  const [known, setKnown] = useState<{ readonly counts: readonly OrphanCount[]; readonly asOfMs: number }>();
  const [failure, setFailure] = useState<Failure>();
  const [action, setAction] = useState<Action>();
  useEffect(
    () =>
      pollMetrics({
        prefix: ORPHANS_METRIC,
        everyMs: READ_INTERVAL_MS,
        onSamples(samples) {
          setKnown({ counts: orphanCounts(samples), asOfMs: serverClock.nowMs() });
          setFailure(undefined);
        },
        onFailure(failed) {
          // Data that the user may no longer read must disappear.
          if (!failed.keepsData) setKnown(undefined);
          setFailure(failed);
        },
      }),
    [],
  );
  const records = useResources(configMaps, { namespace: SYSTEM_NAMESPACE, labelSelector: CLUSTER_ENDED_LABEL });
  const endedClusters = useMemo(() => deletedClusters(records.items), [records.items]);
  return (
    <PageSection isFilled className="fw-op-page">
      <Title headingLevel="h1">{t('title')}</Title>
      {known === undefined && failure !== undefined && <FailureNotice failure={failure} />}
      {known === undefined && failure === undefined && (
        <Spinner className="fw-page-spinner" aria-label={t('loading')} />
      )}
      {known !== undefined && (
        <>
          <OutdatedNotice of={[{ isComplete: true, failure, asOfMs: known.asOfMs }]} />
          <p className="fw-quiet fw-op-lead">{t('lead')}</p>
          <OrphanCounts counts={known.counts} />
          <OrphanEvents />
          <DeletedClusters
            deletedClusters={endedClusters}
            isKnown={records.isComplete}
            failure={records.failure}
            onCheck={(cluster) => setAction(checkAction(cluster, t))}
          />
        </>
      )}
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </PageSection>
  );
}

function OrphanCounts({ counts }: { readonly counts: readonly OrphanCount[] }) {
  const t = useText(orphansTexts);
  return (
    <section aria-labelledby="orphans-now">
      <h2 id="orphans-now" className="fw-op-section">
        {t('counts.title')}
      </h2>
      {counts.length === 0 ? (
        <p className="fw-quiet">{t('counts.none')}</p>
      ) : (
        <Table aria-label={t('counts.label')} variant="compact" gridBreakPoint="" className="fw-op-numbers">
          <Thead>
            <Tr>
              <Th>{t('counts.kind')}</Th>
              <Th>{t('counts.deleting')}</Th>
              <Th>{t('counts.held')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {counts.map(({ kind, deleting, held }) => (
              <Tr key={kind}>
                <Td>{kind}</Td>
                <Td>{deleting}</Td>
                <Td className={held > 0 ? 'fw-op-bad' : ''}>{held}</Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </section>
  );
}

function checkAction({ name, uid, cluster }: DeletedCluster, t: Translate<(typeof orphansTexts)['en']>): Action {
  const annotations = { 'fairway.dev/retry-requested': serverClock.now() };
  return {
    title: t('look.title', { cluster }),
    body: t('look.body'),
    button: t('look'),
    command: `kubectl annotate configmap ${name} -n ${SYSTEM_NAMESPACE} fairway.dev/retry-requested=${annotations['fairway.dev/retry-requested']} --overwrite`,
    run: () =>
      change(configMaps, { metadata: { namespace: SYSTEM_NAMESPACE, name, uid } }, { metadata: { annotations } }),
  };
}
