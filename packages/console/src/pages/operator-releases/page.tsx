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
import { Outdated } from '../../app/outdated.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { useText } from '../../text/use-text.ts';
import { useBy } from '../operator-plans/plan-use.ts';
import { rolloutAction } from './actions.ts';
import { ReleaseCard } from './release-card.tsx';
import { releasesTexts } from './texts.ts';

/** Versions of Kubernetes: what is offered, until when, who runs it, and what is on its way. */
export function Page() {
  const say = useText(releasesTexts);
  usePageTitle(say('title'));
  const ofReleases = useResources(kubernetesReleases);
  const ofClusters = useResources(clusters);
  const [action, setAction] = useState<Action>();
  const byPatch = useMemo(() => useBy(ofClusters.items, ({ status }) => status?.version), [ofClusters.items]);
  const byMinor = useMemo(
    () => useBy(ofClusters.items, ({ status }) => status?.version?.split('.').slice(0, 2).join('.')),
    [ofClusters.items],
  );
  const newestFirst = useMemo(
    // What stands comes before it: somebody has to look at it.
    () =>
      [...ofReleases.items].sort(
        (a, b) => Number(isHalted(b)) - Number(isHalted(a)) || minorOf(b.spec.minor) - minorOf(a.spec.minor),
      ),
    [ofReleases.items],
  );
  const failure = ofReleases.failure ?? ofClusters.failure;
  // Who may not see all clusters would take versions for unused.
  const isKnown = ofReleases.isComplete && ofClusters.isComplete;
  return (
    <PageSection isFilled className="fw-op-page">
      <Title headingLevel="h1">{say('title')}</Title>
      <Outdated of={isKnown ? [ofReleases, ofClusters] : []} />
      {!isKnown && failure !== undefined && <FailureNotice failure={failure} />}
      {!isKnown && failure === undefined && <Spinner className="fw-page-spinner" aria-label={say('loading')} />}
      {isKnown && newestFirst.length === 0 && (
        <EmptyList title={say('empty.title')} icon={BoxesIcon}>
          {say('empty.body')}
        </EmptyList>
      )}
      {isKnown &&
        newestFirst.map((release) => (
          <ReleaseCard
            key={release.metadata.name}
            release={release}
            uses={byPatch}
            use={byMinor.get(release.spec.minor)}
            onAction={(name) => setAction(rolloutAction(release, name, say))}
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
