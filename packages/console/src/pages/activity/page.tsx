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

/** Who did what in a project: in the reader's own, or in that of the address. */
export function Page({ params: { namespace: asked } }: PageProps) {
  const say = useText(activityPageTexts);
  const { namespace: own } = useSession();
  const namespace = asked ?? own;
  const title = asked === undefined ? say('title') : say('title.of', { name: asked });
  usePageTitle(title);
  return (
    <PageSection isFilled>
      <div className="fw-list-head">
        <Title headingLevel="h1">{title}</Title>
        {asked !== undefined && <Link href={`/operator/projects/${asked}`}>{say('back')}</Link>}
      </div>
      {namespace === undefined ? (
        <EmptyState titleText={say('choose')} icon={CubesIcon} headingLevel="h2">
          <EmptyStateBody>
            <p>{say('choose.body')}</p>
            <Link href="/operator/projects">{say('choose.link')}</Link>
          </EmptyStateBody>
        </EmptyState>
      ) : (
        <ActivityView key={namespace} path={pathOf(auditEvents, namespace)} namespace={namespace} />
      )}
    </PageSection>
  );
}
