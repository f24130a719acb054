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
import { RelativeTime } from '../../text/relative-time.tsx';
import { type Translate, useText } from '../../text/use-text.ts';
import { readyOf } from '../operator/ready-state.ts';
import { credentialsTexts } from './texts.ts';

/** All tenants' credentials, and whether Keystone still accepts them. */
export function Page() {
  const t = useText(credentialsTexts);
  usePageTitle(t('title'));
  const snapshot = useResources(cloudCredentials);
  const columns = useMemo(() => columnsOf(t), [t]);
  const filters = useMemo(
    (): readonly ListFilter<CloudCredential>[] => [
      { key: 'attention', title: t('filter.attention'), isIn: (each) => readyOf(each).state === 'attention' },
      { key: 'expiring', title: t('filter.expiring'), isIn: (each) => expiryOf(each) !== undefined },
    ],
    [t],
  );
  return (
    <ListPage
      title={t('title')}
      snapshot={snapshot}
      columns={columns}
      searchText={searchText}
      searchLabel={t('search')}
      filters={filters}
      defaultSort={DEFAULT_SORT}
      emptyList={
        <EmptyList title={t('empty.title')} icon={KeyIcon}>
          {t('empty.body')}
        </EmptyList>
      }
    />
  );
}

const DEFAULT_SORT = { key: 'name', direction: 'asc' } as const;

function searchText({ metadata: { namespace, name }, spec, status }: CloudCredential): string {
  return `${namespace} ${name} ${spec.cloud} ${status?.projectName ?? ''} ${status?.userName ?? ''}`;
}

/** The message of the ExpiresSoon condition while it is True. */
function expiryOf({ status }: CloudCredential): string | undefined {
  return status?.conditions?.find(
    ({ type, status: conditionStatus }) => type === 'ExpiresSoon' && conditionStatus === 'True',
  )?.message;
}

function columnsOf(t: Translate<(typeof credentialsTexts)['en']>): readonly Column<CloudCredential>[] {
  return [
    {
      key: 'name',
      title: t('column.name'),
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
      title: t('column.cloud'),
      sortBy: ({ spec }) => spec.cloud,
      cell: ({ spec }) => plainName(spec.cloud),
    },
    {
      key: 'project',
      title: t('column.project'),
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
      title: t('column.state'),
      sortBy: (credential) => readyOf(credential).state,
      cell: (credential) => {
        const { state } = readyOf(credential);
        return <StateLabel state={state}>{t(`state.${state}`)}</StateLabel>;
      },
    },
    {
      key: 'expires',
      title: t('column.expires'),
      sortBy: ({ status }) => status?.expiresAt ?? '9',
      cell: ({ status }) =>
        status?.expiresAt === undefined ? (
          <span className="fw-quiet">{t('never')}</span>
        ) : (
          <RelativeTime at={status.expiresAt} tense="either" />
        ),
    },
    {
      key: 'message',
      title: t('column.message'),
      width: 30,
      cell: (credential) => {
        const { state, message } = readyOf(credential);
        const note = state === 'ready' ? expiryOf(credential) : message;
        return (
          <span className="fw-op-clamp" title={plainName(note ?? '')}>
            <ServerText text={note} />
          </span>
        );
      },
    },
  ];
}
