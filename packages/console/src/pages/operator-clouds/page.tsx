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
import { OutdatedNotice } from '../../app/outdated-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { useText } from '../../text/use-text.ts';
import { CloudCard } from './cloud-card.tsx';
import { cloudsTexts } from './texts.ts';
import { READ_INTERVAL_MS, useReadings } from './use-readings.ts';

/** The state of the clouds, according to Fairway's metrics of its own calls. */
export function Page() {
  const t = useText(cloudsTexts);
  usePageTitle(t('title'));
  const { readings, failure } = useReadings();
  const { items } = useResources(clusters);
  const unreachableCount = useMemo(
    () =>
      items.filter(({ status }) =>
        status?.conditions?.some(({ type, status: holdsLease }) => type === 'CloudReachable' && holdsLease === 'False'),
      ).length,
    [items],
  );
  const last = readings.at(-1);
  return (
    <PageSection isFilled className="fw-op-page">
      <Title headingLevel="h1">{t('title')}</Title>
      {last === undefined && failure !== undefined && <FailureNotice failure={failure} />}
      {last === undefined && failure === undefined && <Spinner className="fw-page-spinner" aria-label={t('loading')} />}
      {last !== undefined && <OutdatedNotice of={[{ isComplete: true, failure, asOfMs: last.atMs }]} />}
      {last !== undefined && <p className="fw-quiet fw-op-lead">{t('source', { seconds: READ_INTERVAL_MS / 1000 })}</p>}
      {unreachableCount > 0 && (
        <Alert
          isInline
          variant="warning"
          title={t('unreachable', { count: unreachableCount })}
          actionLinks={<Link href="/operator/stuck">{t('unreachable.link')}</Link>}
        />
      )}
      {last?.clouds.size === 0 && (
        <EmptyList title={t('empty.title')} icon={CloudIcon}>
          {t('empty.body')}
        </EmptyList>
      )}
      {last !== undefined &&
        [...last.clouds].map(([name, reading]) => (
          <CloudCard key={name} name={name} reading={reading} readings={readings} />
        ))}
    </PageSection>
  );
}
