import '../operator/operator.css';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { CloudIcon } from '@patternfly/react-icons/dist/esm/icons/cloud-icon';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { clusters } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { Outdated } from '../../app/outdated.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { useText } from '../../text/use-text.ts';
import { CloudCard } from './cloud-card.tsx';
import { cloudsTexts } from './texts.ts';
import { READ_EVERY_MS, useReadings } from './use-readings.ts';

/** How the clouds do, from what Fairway counts of its own calls. */
export function Page() {
  const say = useText(cloudsTexts);
  usePageTitle(say('title'));
  const { readings, failure } = useReadings();
  const { items } = useResources(clusters);
  const unreachable = useMemo(
    () =>
      items.filter(({ status }) =>
        status?.conditions?.some(({ type, status: holds }) => type === 'CloudReachable' && holds === 'False'),
      ).length,
    [items],
  );
  const last = readings.at(-1);
  return (
    <PageSection isFilled className="fw-op-page">
      <Title headingLevel="h1">{say('title')}</Title>
      {last === undefined && failure !== undefined && <FailureNotice failure={failure} />}
      {last === undefined && failure === undefined && (
        <Spinner className="fw-page-spinner" aria-label={say('loading')} />
      )}
      {last !== undefined && <Outdated of={[{ isComplete: true, failure, asOfMs: last.atMs }]} />}
      {last !== undefined && <p className="fw-quiet fw-op-lead">{say('source', { seconds: READ_EVERY_MS / 1000 })}</p>}
      {unreachable > 0 && (
        <Alert
          isInline
          variant="warning"
          title={say('unreachable', { count: unreachable })}
          actionLinks={<Link href="/operator/stuck">{say('unreachable.link')}</Link>}
        />
      )}
      {last?.clouds.size === 0 && (
        <EmptyList title={say('empty.title')} icon={CloudIcon}>
          {say('empty.body')}
        </EmptyList>
      )}
      {last !== undefined &&
        [...last.clouds].map(([name, reading]) => (
          <CloudCard key={name} name={name} reading={reading} readings={readings} />
        ))}
    </PageSection>
  );
}
