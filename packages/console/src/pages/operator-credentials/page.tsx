import { plainName } from '../../text/plain.ts';
import { ServerText } from '../../text/server-text.tsx';
import '../operator/operator.css';
import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { KeyIcon } from '@patternfly/react-icons/dist/esm/icons/key-icon';
import { useMemo } from 'react';
import { cloudCredentials } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { StateLabel } from '../../app/state-label.tsx';
import type { Column } from '../../table/column.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { type ListFilter, ListPage } from '../../table/list-page.tsx';
import { type Say, useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { readyOf } from '../operator/ready.ts';
import { credentialsTexts } from './texts.ts';

/** What tenants have given Fairway to act with, and whether Keystone still accepts it. */
export function Page() {
  const say = useText(credentialsTexts);
  usePageTitle(say('title'));
  const snapshot = useResources(cloudCredentials);
  const columns = useMemo(() => columnsOf(say), [say]);
  const filters = useMemo(
    (): readonly ListFilter<CloudCredential>[] => [
      { key: 'attention', title: say('filter.attention'), isIn: (each) => readyOf(each).state === 'attention' },
      { key: 'expiring', title: say('filter.expiring'), isIn: (each) => expiryOf(each) !== undefined },
    ],
    [say],
  );
  return (
    <ListPage
      title={say('title')}
      snapshot={snapshot}
      columns={columns}
      searched={searchedText}
      searchLabel={say('search')}
      filters={filters}
      firstSort={FIRST_SORT}
      empty={
        <EmptyList title={say('empty.title')} icon={KeyIcon}>
          {say('empty.body')}
        </EmptyList>
      }
    />
  );
}

const FIRST_SORT = { key: 'name', direction: 'asc' } as const;

function searchedText({ metadata: { namespace, name }, spec, status }: CloudCredential): string {
  return `${namespace} ${name} ${spec.cloud} ${status?.projectName ?? ''} ${status?.userName ?? ''}`;
}

/** What the condition ExpiresSoon says, while it does. */
function expiryOf({ status }: CloudCredential): string | undefined {
  return status?.conditions?.find(({ type, status: holds }) => type === 'ExpiresSoon' && holds === 'True')?.message;
}

function columnsOf(say: Say<(typeof credentialsTexts)['en']>): readonly Column<CloudCredential>[] {
  return [
    {
      key: 'name',
      title: say('column.name'),
      width: 20,
      sortBy: ({ metadata: { namespace, name } }) => `${namespace} ${name}`,
      cell: ({ metadata: { namespace, name } }) => (
        <div className="fw-op-two">
          <span className="fw-name">{name}</span>
          <span className="fw-quiet">{namespace}</span>
        </div>
      ),
    },
    {
      key: 'cloud',
      title: say('column.cloud'),
      sortBy: ({ spec }) => spec.cloud,
      cell: ({ spec }) => plainName(spec.cloud),
    },
    {
      key: 'project',
      title: say('column.project'),
      width: 20,
      sortBy: ({ status }) => status?.projectName ?? '',
      cell: ({ status }) => (
        <div className="fw-op-two">
          <span>{plainName(status?.projectName ?? '')}</span>
          <span className="fw-quiet">{plainName([status?.userName, status?.type].filter(Boolean).join(' · '))}</span>
        </div>
      ),
    },
    {
      key: 'state',
      title: say('column.state'),
      sortBy: (credential) => readyOf(credential).state,
      cell: (credential) => {
        const { state } = readyOf(credential);
        return <StateLabel state={state}>{say(`state.${state}`)}</StateLabel>;
      },
    },
    {
      key: 'expires',
      title: say('column.expires'),
      sortBy: ({ status }) => status?.expiresAt ?? '9',
      cell: ({ status }) =>
        status?.expiresAt === undefined ? (
          <span className="fw-quiet">{say('never')}</span>
        ) : (
          <When at={status.expiresAt} tense="either" />
        ),
    },
    {
      key: 'message',
      title: say('column.message'),
      width: 30,
      cell: (credential) => {
        const { state, message } = readyOf(credential);
        const told = state === 'ready' ? expiryOf(credential) : message;
        return (
          <span className="fw-op-clamp" title={plainName(told ?? '')}>
            <ServerText text={told} />
          </span>
        );
      },
    },
  ];
}
