import { Breadcrumb, BreadcrumbItem } from '@patternfly/react-core/dist/esm/components/Breadcrumb';
import { EmptyState, EmptyStateBody, EmptyStateFooter } from '@patternfly/react-core/dist/esm/components/EmptyState';
import { PageSection } from '@patternfly/react-core/dist/esm/components/Page';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { Title } from '@patternfly/react-core/dist/esm/components/Title';
import { SearchIcon } from '@patternfly/react-icons/dist/esm/icons/search-icon';
import '../../cluster/cluster.css';
import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Snapshot } from '../../api/resource-store.ts';
import { clusters, machines, nodePools } from '../../api/resources.ts';
import { useResource, useResources } from '../../api/use-resources.ts';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { OutdatedNotice } from '../../app/outdated-notice.tsx';
import { usePageTitle } from '../../app/page-title.ts';
import type { PageProps } from '../../app/pages.ts';
import { shellTexts } from '../../app/shell/texts.ts';
import { StateLabel } from '../../app/state-label.tsx';
import { useText } from '../../text/use-text.ts';
import { clusterState } from '../clusters/cluster-state.ts';
import { clustersTexts } from '../clusters/texts.ts';
import { ClusterActions } from './cluster-actions.tsx';
import { Overview } from './overview.tsx';
import { TABS, type Tab, type TabProps } from './tab.ts';
import { clusterTexts } from './texts.ts';

const VIEWS = {
  overview: Overview,
  access: lazy(async () => ({ default: (await import('./access-tab.tsx')).AccessTab })),
  cloud: lazy(async () => ({ default: (await import('./cloud-tab.tsx')).CloudTab })),
  addons: lazy(async () => ({ default: (await import('./addons-tab.tsx')).AddonsTab })),
  version: lazy(async () => ({ default: (await import('./version-tab.tsx')).VersionTab })),
  schedule: lazy(async () => ({ default: (await import('./schedule-tab.tsx')).ScheduleTab })),
  events: lazy(async () => ({ default: (await import('./events-tab.tsx')).EventsTab })),
  activity: lazy(async () => ({ default: (await import('./activity-tab.tsx')).ActivityTab })),
  yaml: lazy(async () => ({ default: (await import('./yaml-tab.tsx')).YamlTab })),
} satisfies Record<Tab, ComponentType<TabProps>>;

/** A cluster's page: its state, nodes and pools, and the available actions. */
export function Page({ params: { namespace = '', name = '', tab: requestedTab } }: PageProps) {
  const t = useText(clusterTexts);
  const tList = useText(clustersTexts);
  const tShell = useText(shellTexts);
  const tab = TABS.find((each) => each === requestedTab) ?? 'overview';
  usePageTitle(tab === 'overview' ? name : `${t(`tab.${tab}`)} · ${name}`);
  const clusterSnapshot = useResources(clusters, { namespace });
  const { object: cluster, isMissing, failure } = useResource(clusters, namespace, name);
  const poolSnapshot = useResources(nodePools, { namespace });
  const machineSnapshot = useResources(machines, { namespace, labelSelector: `fairway.dev/cluster=${name}` });
  const pools = known(poolSnapshot)?.filter(({ spec }) => spec.clusterName === name);
  if (cluster === undefined) {
    if (isMissing) return <MissingCluster name={name} />;
    if (failure !== undefined) return <FailureNotice failure={failure} headingLevel="h1" />;
    return <Spinner className="fw-page-spinner" aria-label={tShell('loading')} />;
  }
  const TabView = VIEWS[tab];
  const base = `/clusters/${namespace}/${name}`;
  return (
    <>
      <PageSection className="fw-cluster-head">
        <Breadcrumb>
          <BreadcrumbItem
            render={({ className }) => (
              <Link href="/" className={className}>
                {tShell('nav.clusters')}
              </Link>
            )}
          />
          <BreadcrumbItem isActive>{name}</BreadcrumbItem>
        </Breadcrumb>
        <div className="fw-title">
          <Title headingLevel="h1">{name}</Title>
          <StateLabel state={clusterState(cluster)}>{tList(`phase.${cluster.status?.phase ?? 'Pending'}`)}</StateLabel>
          <ClusterActions cluster={cluster} pools={pools?.length} />
        </div>
        <Tabs base={base} tab={tab} />
      </PageSection>
      <PageSection>
        <OutdatedNotice of={[clusterSnapshot, poolSnapshot, machineSnapshot]} />
        <Suspense fallback={<Spinner className="fw-page-spinner" aria-label={tShell('loading')} />}>
          <TabView cluster={cluster} pools={pools} machines={known(machineSnapshot)} />
        </Suspense>
      </PageSection>
    </>
  );
}

/** An incomplete collection cannot be counted. */
function known<T>({ items, isComplete }: Snapshot<T>): readonly T[] | undefined {
  return isComplete ? items : undefined;
}

function Tabs({ base, tab }: { readonly base: string; readonly tab: Tab }) {
  const t = useText(clusterTexts);
  const nav = useRef<HTMLElement>(null);
  // On a phone, the selected tab may be outside the viewport.
  useEffect(() => {
    const shown = nav.current?.children[TABS.indexOf(tab)];
    shown?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  return (
    <nav ref={nav} className="fw-tabs" aria-label={t('tabs.label')}>
      {TABS.map((each) => (
        <Link key={each} href={pathOfTab(base, each)} aria-current={each === tab ? 'page' : undefined}>
          {t(`tab.${each}`)}
        </Link>
      ))}
    </nav>
  );
}

function pathOfTab(base: string, tab: Tab): string {
  return tab === 'overview' ? base : `${base}/${tab}`;
}

function MissingCluster({ name }: { readonly name: string }) {
  const t = useText(clusterTexts);
  return (
    <EmptyState titleText={t('missing', { name })} icon={SearchIcon} headingLevel="h1">
      <EmptyStateBody>{t('missing.body')}</EmptyStateBody>
      <EmptyStateFooter>
        <Link href="/">{t('missing.home')}</Link>
      </EmptyStateFooter>
    </EmptyState>
  );
}
