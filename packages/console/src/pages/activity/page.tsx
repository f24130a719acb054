import { EmptyState, EmptyStateBody } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { CubesIcon } from '@patternfly/react-icons/dist/esm/icons/cubes-icon';
import { Link } from 'wouter';
import { ActivityView } from '../../activity/activity-view.tsx';
import { auditEvents, pathOf } from '../../api/resources.ts';
import { usePageTitle } from '../../app/page-title.ts';
import type { PageProps } from '../../app/pages.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.ts';
import { activityPageTexts } from './texts.ts';

/** The audit events of a project: the user's current project, or the one in the URL. */
export function Page({ params: { namespace: requestedNamespace } }: PageProps) {
  const t = useText(activityPageTexts);
  const { namespace: sessionNamespace } = useSession();
  const namespace = requestedNamespace ?? sessionNamespace;
  const title = requestedNamespace === undefined ? t('title') : t('title.of', { name: requestedNamespace });
  usePageTitle(title);
  return (
    <PageSection isFilled>
      <div className="fw-list-head">
        <Title headingLevel="h1">{title}</Title>
        {requestedNamespace !== undefined && <Link href={`/operator/projects/${requestedNamespace}`}>{t('back')}</Link>}
      </div>
      {namespace === undefined ? (
        <EmptyState titleText={t('choose')} icon={CubesIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{t('choose.body')}</p>
            <Link href="/operator/projects">{t('choose.link')}</Link>
          </EmptyStateBody>
        </EmptyState>
      ) : (
        <ActivityView key={namespace} path={pathOf(auditEvents, namespace)} namespace={namespace} />
      )}
    </PageSection>
  );
}
