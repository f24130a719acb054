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
import { type Say, useText } from '../../text/use-text.ts';
import { readyOf } from '../operator/ready.ts';
import { ShareBar } from '../operator/share-bar.tsx';
import { fullestOther, isNearlyFull, type Quota, quotaOf, usedShare } from './quotas.ts';
import { capacityTexts } from './texts.ts';

/** What each project may use of its cloud, and does. */
export function Page() {
  const say = useText(capacityTexts);
  usePageTitle(say('title'));
  const snapshot = useResources(cloudProfiles);
  const columns = useMemo(() => columnsOf(say), [say]);
  const filters = useMemo(
    (): readonly ListFilter<CloudProfile>[] => [
      { key: 'full', title: say('filter.full'), isIn: isNearlyFull },
      { key: 'failing', title: say('filter.failing'), isIn: (profile) => readyOf(profile).state === 'attention' },
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
        <EmptyList title={say('empty.title')} icon={CloudIcon}>
          {say('empty.body')}
        </EmptyList>
      }
    />
  );
}

const FIRST_SORT = { key: 'project', direction: 'asc' } as const;
const GIB = 1024;

function searchedText({ metadata: { namespace }, spec, status }: CloudProfile): string {
  return `${namespace} ${spec.cloud} ${spec.credentialName ?? ''} ${status?.region ?? ''}`;
}

function columnsOf(say: Say<(typeof capacityTexts)['en']>): readonly Column<CloudProfile>[] {
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
      title: say('column.project'),
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
      title: say('column.cloud'),
      width: 15,
      sortBy: ({ spec }) => `${spec.cloud} ${spec.credentialName ?? ''}`,
      cell: ({ spec: { cloud, credentialName }, status }) => (
        <div className="fw-op-two">
          <span>{plainName(cloud)}</span>
          <span className="fw-quiet">
            {[plainName(status?.region ?? ''), credentialName && say('credential', { name: credentialName })]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
      ),
    },
    {
      key: 'state',
      title: say('column.state'),
      sortBy: (profile) => readyOf(profile).state,
      cell: (profile) => {
        const { state, message } = readyOf(profile);
        return (
          <span title={plainName(message ?? '')}>
            <StateLabel state={state}>{say(`state.${state}`)}</StateLabel>
          </span>
        );
      },
    },
    quota('instances', say('column.instances')),
    quota('cores', say('column.cores')),
    quota('memoryMiB', say('column.memory'), 'GiB', GIB),
    {
      key: 'other',
      title: say('column.other'),
      width: 15,
      sortBy: (profile) => shareOf(fullestOther(profile)),
      cell: (profile) => {
        const other = fullestOther(profile);
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
