import '../operator/operator.css';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { BoxesIcon } from '@patternfly/react-icons/dist/esm/icons/boxes-icon';
import { useMemo, useState } from 'react';
import { clusters, kubernetesReleases } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { OutdatedNotice } from '../../app/outdated-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { useText } from '../../text/use-text.ts';
import { usageByPlan } from '../operator-plans/plan-usage.ts';
import { rolloutAction } from './actions.ts';
import { ReleaseCard } from './release-card.tsx';
import { releasesTexts } from './texts.ts';

/** Kubernetes versions: support dates, usage, and rollouts. */
export function Page() {
  const t = useText(releasesTexts);
  usePageTitle(t('title'));
  const releaseSnapshot = useResources(kubernetesReleases);
  const clusterSnapshot = useResources(clusters);
  const [action, setAction] = useState<Action>();
  const releaseByPatch = useMemo(
    () => usageByPlan(clusterSnapshot.items, ({ status }) => status?.version),
    [clusterSnapshot.items],
  );
  const sortedReleases = useMemo(
    () => usageByPlan(clusterSnapshot.items, ({ status }) => status?.version?.split('.').slice(0, 2).join('.')),
    [clusterSnapshot.items],
  );
  const newestFirst = useMemo(
    // Halted rollouts come first: they need attention.
    () =>
      [...releaseSnapshot.items].sort(
        (a, b) => Number(isHalted(b)) - Number(isHalted(a)) || minorOf(b.spec.minor) - minorOf(a.spec.minor),
      ),
    [releaseSnapshot.items],
  );
  const failure = releaseSnapshot.failure ?? clusterSnapshot.failure;
  // Users who may not list all clusters would see used versions as unused.
  const isKnown = releaseSnapshot.isComplete && clusterSnapshot.isComplete;
  return (
    <PageSection isFilled className="fw-op-page">
      <Title headingLevel="h1">{t('title')}</Title>
      <OutdatedNotice of={isKnown ? [releaseSnapshot, clusterSnapshot] : []} />
      {!isKnown && failure !== undefined && <FailureNotice failure={failure} />}
      {!isKnown && failure === undefined && <Spinner className="fw-page-spinner" aria-label={t('loading')} />}
      {isKnown && newestFirst.length === 0 && (
        <EmptyList title={t('empty.title')} icon={BoxesIcon}>
          {t('empty.body')}
        </EmptyList>
      )}
      {isKnown &&
        newestFirst.map((release) => (
          <ReleaseCard
            key={release.metadata.name}
            release={release}
            uses={releaseByPatch}
            use={sortedReleases.get(release.spec.minor)}
            onAction={(name) => setAction(rolloutAction(release, name, t))}
          />
        ))}
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </PageSection>
  );
}

function isHalted({ status }: KubernetesRelease): boolean {
  return status?.rollout?.state === 'Halted' || status?.forcedUpgrade?.state === 'Halted';
}

function minorOf(minor: string): number {
  const [major = 0, number = 0] = minor.split('.').map(Number);
  return major * 1000 + number;
}
