import '../../cluster/cluster.css';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { KeyIcon } from '@patternfly/react-icons/dist/esm/icons/key-icon';
import { Table, Tbody, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useState } from 'react';
import { cloudCredentials, clusters } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { Outdated } from '../../app/outdated.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { shellTexts } from '../../app/shell/texts.ts';
import { DelegationNotice } from '../../cluster/delegation-notice.tsx';
import { useSession } from '../../session/session.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { useText } from '../../text/use-text.ts';
import { CredentialRow } from './credential-row.tsx';
import { clustersOf, successorsOf } from './credential-use.ts';
import { ownCredentialsTexts } from './texts.ts';

const COLUMNS = ['name', 'user', 'state', 'expires', 'used'] as const;

/** What the project has given Fairway to act with: accepted or not, until when, for whom; made, replaced and deleted. */
export function Page() {
  const say = useText(ownCredentialsTexts);
  const sayShell = useText(shellTexts);
  usePageTitle(say('title'));
  const { namespace } = useSession();
  const snapshot = useResources(cloudCredentials, { namespace });
  const { items, isComplete, failure } = snapshot;
  const ofClusters = useResources(clusters, { namespace });
  const [action, setAction] = useState<Action>();
  const sorted = [...items].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  return (
    <PageSection isFilled className="fw-list">
      <div className="fw-list-head">
        <Title headingLevel="h1">{say('title')}</Title>
      </div>
      {failure !== undefined && !isComplete && <FailureNotice failure={failure} />}
      <Outdated of={isComplete ? [snapshot, ofClusters] : []} />
      {!isComplete && failure === undefined && <Spinner className="fw-page-spinner" aria-label={sayShell('loading')} />}
      {isComplete && items.length === 0 && (
        <EmptyList title={say('empty.title')} icon={KeyIcon}>
          {say('empty.body')}
        </EmptyList>
      )}
      <div className="fw-overview">
        {items.length > 0 && (
          <section className="fw-panel">
            <p>{say('lead')}</p>
            <Table aria-label={say('title')} variant="compact">
              <Thead>
                <Tr>
                  {COLUMNS.map((column) => (
                    <Th key={column}>{say(`column.${column}`)}</Th>
                  ))}
                  <Th screenReaderText={say('column.actions')} />
                </Tr>
              </Thead>
              <Tbody>
                {sorted.map((credential) => (
                  <CredentialRow
                    key={credential.metadata.uid}
                    credential={credential}
                    used={ofClusters.isComplete ? clustersOf(credential, ofClusters.items) : undefined}
                    successors={successorsOf(credential, items)}
                    onAction={setAction}
                  />
                ))}
              </Tbody>
            </Table>
          </section>
        )}
        {namespace !== undefined && isComplete && <Another namespace={namespace} credentials={items} />}
      </div>
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </PageSection>
  );
}

function Another({
  namespace,
  credentials,
}: {
  readonly namespace: string;
  readonly credentials: readonly CloudCredential[];
}) {
  const say = useText(ownCredentialsTexts);
  const [isAsking, setIsAsking] = useState(false);
  return (
    <section className="fw-panel" aria-labelledby="make-title">
      <h2 id="make-title">{say('make.title')}</h2>
      <p>{say('make.body')}</p>
      <DelegationNotice
        namespace={namespace}
        credentials={credentials}
        isAsking={isAsking}
        isOptional
        onAllowed={() => setIsAsking(false)}
      />
      {!isAsking && (
        <div className="fw-actions">
          <Button variant="secondary" onClick={() => setIsAsking(true)}>
            {say('make.do')}
          </Button>
        </div>
      )}
    </section>
  );
}

function nameOf({ metadata: { name = '' } }: CloudCredential): string {
  return name;
}
