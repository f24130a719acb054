import { EmptyState, EmptyStateBody } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { CubesIcon } from '@patternfly/react-icons/dist/esm/icons/cubes-icon';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { Link } from 'wouter';
import { clusters, keyOf } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { shellTexts } from '../../app/shell/texts.ts';
import { useSession } from '../../session/session.ts';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { clustersTexts } from './texts.ts';

export function Page() {
  const say = useText(clustersTexts);
  const sayShell = useText(shellTexts);
  usePageTitle(say('title'));
  const { namespace } = useSession();
  const { items, isComplete, failure } = useResources(clusters, { namespace });
  if (items.length === 0 && failure !== undefined && !isComplete) return <FailureNotice failure={failure} />;
  if (items.length === 0 && !isComplete)
    return <Spinner className="fw-page-spinner" aria-label={sayShell('loading')} />;
  return (
    <PageSection>
      <Title headingLevel="h1">{say('title')}</Title>
      {items.length === 0 ? (
        <EmptyState titleText={say('empty.title')} icon={CubesIcon} headingLevel="h2">
          <EmptyStateBody>{say('empty.body')}</EmptyStateBody>
        </EmptyState>
      ) : (
        <Table aria-label={say('table.label')} variant="compact">
          <Thead>
            <Tr>
              <Th>{say('column.name')}</Th>
              <Th>{say('column.status')}</Th>
              <Th>{say('column.version')}</Th>
              <Th>{say('column.plan')}</Th>
              <Th>{say('column.age')}</Th>
            </Tr>
          </Thead>
          <Tbody>
            {items.map((cluster) => (
              <Tr key={keyOf(cluster)}>
                <Td dataLabel={say('column.name')}>
                  <Link href={`/clusters/${cluster.metadata.namespace}/${cluster.metadata.name}`}>
                    {cluster.metadata.name}
                  </Link>
                </Td>
                <Td dataLabel={say('column.status')}>{cluster.status?.phase}</Td>
                <Td dataLabel={say('column.version')}>{cluster.status?.version ?? cluster.spec.version}</Td>
                <Td dataLabel={say('column.plan')}>{cluster.spec.plan}</Td>
                <Td dataLabel={say('column.age')}>
                  <When at={cluster.metadata.creationTimestamp} />
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </PageSection>
  );
}
