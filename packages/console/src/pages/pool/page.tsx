import { Breadcrumb, BreadcrumbItem } from '@patternfly/react-core/dist/esm/components/Breadcrumb';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import '../../cluster/cluster.css';
import { Link } from 'wouter';
import { clusters, nodePools } from '../../api/resources.ts';
import { useResource } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import type { PageProps } from '../../app/pages.ts';
import { shellTexts } from '../../app/shell/texts.ts';
import { useText } from '../../text/use-text.ts';
import { EditPool } from './edit-pool.tsx';
import { NewPool } from './new-pool.tsx';
import { poolTexts } from './texts.ts';

/** Edits a pool, or adds a new one if the URL contains no name. */
export function Page({ params: { namespace = '', name = '', pool: poolName } }: PageProps) {
  const t = useText(poolTexts);
  const tShell = useText(shellTexts);
  const title = poolName === undefined ? t('title.new') : t('title.edit', { name: poolName });
  usePageTitle(title);
  const { object: cluster, failure } = useResource(clusters, namespace, name);
  const { object: pool, isMissing, failure: poolFailure } = useResource(nodePools, namespace, poolName ?? '');
  const isForeign = pool !== undefined && pool.spec.clusterName !== name;
  const isNotFound = poolName !== undefined && (isMissing || isForeign);
  const base = `/clusters/${namespace}/${name}`;
  if (failure !== undefined && cluster === undefined) return <FailureNotice failure={failure} headingLevel="h1" />;
  return (
    <>
      <PageSection>
        <Breadcrumb>
          <BreadcrumbItem
            render={({ className }) => (
              <Link href="/" className={className}>
                {tShell('nav.clusters')}
              </Link>
            )}
          />
          <BreadcrumbItem
            render={({ className }) => (
              <Link href={base} className={className}>
                {name}
              </Link>
            )}
          />
          <BreadcrumbItem isActive>{title}</BreadcrumbItem>
        </Breadcrumb>
        <Title headingLevel="h1">{title}</Title>
      </PageSection>
      <PageSection>
        {isNotFound ? (
          <p>{t('missing', { name: poolName })}</p>
        ) : cluster !== undefined && poolName !== undefined && pool === undefined && poolFailure !== undefined ? (
          <FailureNotice failure={poolFailure} />
        ) : cluster === undefined || (poolName !== undefined && pool === undefined) ? (
          <Spinner className="fw-page-spinner" aria-label={tShell('loading')} />
        ) : pool === undefined ? (
          <NewPool cluster={cluster} />
        ) : (
          <EditPool key={pool.metadata.uid} cluster={cluster} pool={pool} />
        )}
      </PageSection>
    </>
  );
}
