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
import { Outdated } from '../../app/outdated.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { type Say, useText } from '../../text/use-text.ts';
import { pollMetrics } from '../operator/poll-metrics.ts';
import { DeletedClusters } from './deleted-clusters.tsx';
import { OrphanEvents } from './orphan-events.tsx';
import {
  type DeletedCluster,
  deletedClusters,
  ENDED_LABEL,
  ORPHANS_METRIC,
  type OrphanCount,
  orphanCounts,
} from './orphans.ts';
import { orphansTexts } from './texts.ts';

const SYSTEM_NAMESPACE = 'fairway-system';
const READ_EVERY_MS = 60_000;

/** What is left in clouds of what is gone. */
export function Page() {
  const say = useText(orphansTexts);
  usePageTitle(say('title'));
  const [known, setKnown] = useState<{ readonly counts: readonly OrphanCount[]; readonly asOfMs: number }>();
  const [failure, setFailure] = useState<Failure>();
  const [action, setAction] = useState<Action>();
  useEffect(
    () =>
      pollMetrics({
        prefix: ORPHANS_METRIC,
        everyMs: READ_EVERY_MS,
        onSamples(samples) {
          setKnown({ counts: orphanCounts(samples), asOfMs: serverClock.nowMs() });
          setFailure(undefined);
        },
        onFailure(failed) {
          // What may not be read any more is not shown any more.
          if (!failed.isKept) setKnown(undefined);
          setFailure(failed);
        },
      }),
    [],
  );
  const records = useResources(configMaps, { namespace: SYSTEM_NAMESPACE, labelSelector: ENDED_LABEL });
  const ended = useMemo(() => deletedClusters(records.items), [records.items]);
  return (
    <PageSection isFilled className="fw-op-page">
      <Title headingLevel="h1">{say('title')}</Title>
      {known === undefined && failure !== undefined && <FailureNotice failure={failure} />}
      {known === undefined && failure === undefined && (
        <Spinner className="fw-page-spinner" aria-label={say('loading')} />
      )}
      {known !== undefined && (
        <>
          <Outdated of={[{ isComplete: true, failure, asOfMs: known.asOfMs }]} />
          <p className="fw-quiet fw-op-lead">{say('lead')}</p>
          <Counts counts={known.counts} />
          <OrphanEvents />
          <DeletedClusters
            ended={ended}
            isKnown={records.isComplete}
            failure={records.failure}
            onLook={(cluster) => setAction(lookAction(cluster, say))}
          />
        </>
      )}
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </PageSection>
  );
}

function Counts({ counts }: { readonly counts: readonly OrphanCount[] }) {
  const say = useText(orphansTexts);
  return (
    <section aria-labelledby="orphans-now">
      <h2 id="orphans-now" className="fw-op-section">
        {say('counts.title')}
      </h2>
      {counts.length === 0 ? (
        <p className="fw-quiet">{say('counts.none')}</p>
      ) : (
        <Table aria-label={say('counts.label')} variant="compact" gridBreakPoint="" className="fw-op-numbers">
          <Thead>
            <Tr>
              <Th>{say('counts.kind')}</Th>
              <Th>{say('counts.deleting')}</Th>
              <Th>{say('counts.held')}</Th>
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

function lookAction({ name, uid, cluster }: DeletedCluster, say: Say<(typeof orphansTexts)['en']>): Action {
  const annotations = { 'fairway.dev/retry-requested': serverClock.now() };
  return {
    title: say('look.title', { cluster }),
    body: say('look.body'),
    button: say('look'),
    command: `kubectl annotate configmap ${name} -n ${SYSTEM_NAMESPACE} fairway.dev/retry-requested=${annotations['fairway.dev/retry-requested']} --overwrite`,
    run: () =>
      change(configMaps, { metadata: { namespace: SYSTEM_NAMESPACE, name, uid } }, { metadata: { annotations } }),
  };
}
