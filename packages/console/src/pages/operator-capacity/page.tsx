import { plainName } from '../../text/plain.ts';
import '../operator/operator.css';
import type { CloudProfile } from '@fairway/api/kinds/cloud-profile';
import { CloudIcon } from '@patternfly/react-icons/dist/esm/icons/cloud-icon';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { cloudProfiles } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { usePageTitle } from '../../app/page-title.ts';
import { StateLabel } from '../../app/state-label.tsx';
import type { Column } from '../../table/column.ts';
import { EmptyList } from '../../table/empty-list.tsx';
import { type ListFilter, ListPage } from '../../table/list-page.tsx';
import { type Translate, useText } from '../../text/use-text.ts';
import { readyOf } from '../operator/ready-state.ts';
import { ShareBar } from '../operator/share-bar.tsx';
import { fullestOtherQuota, isNearlyFull, type Quota, quotaOf, usedShare } from './quotas.ts';
import { capacityTexts } from './texts.ts';

/** Quotas and usage of each project's cloud. */
export function Page() {
  const t = useText(capacityTexts);
  usePageTitle(t('title'));
  const snapshot = useResources(cloudProfiles);
  const columns = useMemo(() => columnsOf(t), [t]);
  const filters = useMemo(
    (): readonly ListFilter<CloudProfile>[] => [
      { key: 'full', title: t('filter.full'), isIn: isNearlyFull },
      { key: 'failing', title: t('filter.failing'), isIn: (profile) => readyOf(profile).state === 'attention' },
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
        <EmptyList title={t('empty.title')} icon={CloudIcon}>
          {t('empty.body')}
        </EmptyList>
      }
    />
  );
}

const DEFAULT_SORT = { key: 'project', direction: 'asc' } as const;
const GIB = 1024;

function searchText({ metadata: { namespace }, spec, status }: CloudProfile): string {
  return `${namespace} ${spec.cloud} ${spec.credentialName ?? ''} ${status?.region ?? ''}`;
}

function columnsOf(t: Translate<(typeof capacityTexts)['en']>): readonly Column<CloudProfile>[] {
  const quota = (name: string, title: string, unit = '', divisor = 1): Column<CloudProfile> => ({
    key: name,
    title,
    width: 15,
    sortBy: (profile) => shareOf(quotaOf(profile, name)),
    cell: (profile) => <QuotaCell quota={quotaOf(profile, name)} label={title} unit={unit} divisor={divisor} />,
  });
  return [
    {
      key: 'project',
      title: t('column.project'),
      width: 15,
      sortBy: ({ metadata: { namespace = '' } }) => namespace,
      cell: ({ metadata: { namespace } }) => (
        <Link href={`/operator/projects/${namespace}`} className="fw-name">
          {namespace}
        </Link>
      ),
    },
    {
      key: 'cloud',
      title: t('column.cloud'),
      width: 15,
      sortBy: ({ spec }) => `${spec.cloud} ${spec.credentialName ?? ''}`,
      cell: ({ spec: { cloud, credentialName }, status }) => (
        <div className="fw-op-two">
          <span>{plainName(cloud)}</span>
          <span className="fw-quiet">
            {[plainName(status?.region ?? ''), credentialName && t('credential', { name: credentialName })]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
      ),
    },
    {
      key: 'state',
      title: t('column.state'),
      sortBy: (profile) => readyOf(profile).state,
      cell: (profile) => {
        const { state, message } = readyOf(profile);
        return (
          <span title={plainName(message ?? '')}>
            <StateLabel state={state}>{t(`state.${state}`)}</StateLabel>
          </span>
        );
      },
    },
    quota('instances', t('column.instances')),
    quota('cores', t('column.cores')),
    quota('memoryMiB', t('column.memory'), 'GiB', GIB),
    {
      key: 'other',
      title: t('column.other'),
      width: 15,
      sortBy: (profile) => shareOf(fullestOtherQuota(profile)),
      cell: (profile) => {
        const other = fullestOtherQuota(profile);
        return other && <QuotaCell quota={other} label={other.name} unit={other.name} divisor={1} />;
      },
    },
  ];
}

function QuotaCell(props: {
  readonly quota: Quota | undefined;
  readonly label: string;
  readonly unit: string;
  readonly divisor: number;
}) {
  const { quota, label, unit, divisor } = props;
  if (quota === undefined) return null;
  const scaled = (value: number) => Math.round((value / divisor) * 10) / 10;
  const limit = quota.limit === undefined ? undefined : scaled(quota.limit);
  return <ShareBar label={label} used={scaled(quota.used)} limit={limit} unit={unit} />;
}

function shareOf(quota: Quota | undefined): number {
  return quota === undefined ? 0 : usedShare(quota);
}
