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
import { OutdatedNotice } from '../../app/outdated-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import { shellTexts } from '../../app/shell/texts.ts';
import { DelegationNotice } from '../../cluster/delegation-notice.tsx';
import { useSession } from '../../session/session.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { useText } from '../../text/use-text.ts';
import { CredentialRow } from './credential-row.tsx';
import { clustersUsing, successorsOf } from './credential-use.ts';
import { ownCredentialsTexts } from './texts.ts';

const COLUMNS = ['name', 'user', 'state', 'expires', 'used'] as const;

/**
 * The project's CloudCredentials: their state, expiry and clusters, with actions to create, replace and delete them.
 */
export function Page() {
  const t = useText(ownCredentialsTexts);
  const tShell = useText(shellTexts);
  usePageTitle(t('title'));
  const { namespace } = useSession();
  const snapshot = useResources(cloudCredentials, { namespace });
  const { items, isComplete, failure } = snapshot;
  const clusterSnapshot = useResources(clusters, { namespace });
  const [action, setAction] = useState<Action>();
  const sorted = [...items].sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
  return (
    <PageSection isFilled className="fw-list">
      <div className="fw-list-head">
        <Title headingLevel="h1">{t('title')}</Title>
      </div>
      {failure !== undefined && !isComplete && <FailureNotice failure={failure} />}
      <OutdatedNotice of={isComplete ? [snapshot, clusterSnapshot] : []} />
      {!isComplete && failure === undefined && <Spinner className="fw-page-spinner" aria-label={tShell('loading')} />}
      {isComplete && items.length === 0 && (
        <EmptyList title={t('empty.title')} icon={KeyIcon}>
          {t('empty.body')}
        </EmptyList>
      )}
      <div className="fw-overview">
        {items.length > 0 && (
          <section className="fw-panel">
            <p>{t('lead')}</p>
            <Table aria-label={t('title')} variant="compact">
              <Thead>
                <Tr>
                  {COLUMNS.map((column) => (
                    <Th key={column}>{t(`column.${column}`)}</Th>
                  ))}
                  <Th screenReaderText={t('column.actions')} />
                </Tr>
              </Thead>
              <Tbody>
                {sorted.map((credential) => (
                  <CredentialRow
                    key={credential.metadata.uid}
                    credential={credential}
                    usingClusters={
                      clusterSnapshot.isComplete ? clustersUsing(credential, clusterSnapshot.items) : undefined
                    }
                    successors={successorsOf(credential, items)}
                    onAction={setAction}
                  />
                ))}
              </Tbody>
            </Table>
          </section>
        )}
        {namespace !== undefined && isComplete && <AddCredential namespace={namespace} credentials={items} />}
      </div>
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </PageSection>
  );
}

function AddCredential({
  namespace,
  credentials,
}: {
  readonly namespace: string;
  readonly credentials: readonly CloudCredential[];
}) {
  const t = useText(ownCredentialsTexts);
  const [isAsking, setIsAsking] = useState(false);
  return (
    <section className="fw-panel" aria-labelledby="make-title">
      <h2 id="make-title">{t('make.title')}</h2>
      <p>{t('make.body')}</p>
      <DelegationNotice
        namespace={namespace}
        credentials={credentials}
        isAsking={isAsking}
        isOptional
        onGranted={() => setIsAsking(false)}
      />
      {!isAsking && (
        <div className="fw-actions">
          <Button variant="secondary" onClick={() => setIsAsking(true)}>
            {t('make.do')}
          </Button>
        </div>
      )}
    </section>
  );
}

function nameOf({ metadata: { name = '' } }: CloudCredential): string {
  return name;
}
