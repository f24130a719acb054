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
import { Outdated } from '../../app/outdated.tsx';
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

/** A cluster: how it is, its nodes and pools, and what can be done with it. */
export function Page({ params: { namespace = '', name = '', tab: asked } }: PageProps) {
  const say = useText(clusterTexts);
  const sayList = useText(clustersTexts);
  const sayShell = useText(shellTexts);
  const tab = TABS.find((each) => each === asked) ?? 'overview';
  usePageTitle(tab === 'overview' ? name : `${say(`tab.${tab}`)} · ${name}`);
  const ofClusters = useResources(clusters, { namespace });
  const { object: cluster, isMissing, failure } = useResource(clusters, namespace, name);
  const ofPools = useResources(nodePools, { namespace });
  const ofMachines = useResources(machines, { namespace, labelSelector: `fairway.dev/cluster=${name}` });
  const pools = known(ofPools)?.filter(({ spec }) => spec.clusterName === name);
  if (cluster === undefined) {
    if (isMissing) return <Missing name={name} />;
    if (failure !== undefined) return <FailureNotice failure={failure} headingLevel="h1" />;
    return <Spinner className="fw-page-spinner" aria-label={sayShell('loading')} />;
  }
  const Shown = VIEWS[tab];
  const base = `/clusters/${namespace}/${name}`;
  return (
    <>
      <PageSection className="fw-cluster-head">
        <Breadcrumb>
          <BreadcrumbItem
            render={({ className }) => (
              <Link href="/" className={className}>
                {sayShell('nav.clusters')}
              </Link>
            )}
          />
          <BreadcrumbItem isActive>{name}</BreadcrumbItem>
        </Breadcrumb>
        <div className="fw-title">
          <Title headingLevel="h1">{name}</Title>
          <StateLabel state={clusterState(cluster)}>
            {sayList(`phase.${cluster.status?.phase ?? 'Pending'}`)}
          </StateLabel>
          <ClusterActions cluster={cluster} pools={pools?.length} />
        </div>
        <Tabs base={base} tab={tab} />
      </PageSection>
      <PageSection>
        <Outdated of={[ofClusters, ofPools, ofMachines]} />
        <Suspense fallback={<Spinner className="fw-page-spinner" aria-label={sayShell('loading')} />}>
          <Shown cluster={cluster} pools={pools} machines={known(ofMachines)} />
        </Suspense>
      </PageSection>
    </>
  );
}

/** Some of a collection are none that can be counted. */
function known<T>({ items, isComplete }: Snapshot<T>): readonly T[] | undefined {
  return isComplete ? items : undefined;
}

function Tabs({ base, tab }: { readonly base: string; readonly tab: Tab }) {
  const say = useText(clusterTexts);
  const nav = useRef<HTMLElement>(null);
  // On a phone the one that is shown may be outside.
  useEffect(() => {
    const shown = nav.current?.children[TABS.indexOf(tab)];
    shown?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  return (
    <nav ref={nav} className="fw-tabs" aria-label={say('tabs.label')}>
      {TABS.map((each) => (
        <Link key={each} href={pathOfTab(base, each)} aria-current={each === tab ? 'page' : undefined}>
          {say(`tab.${each}`)}
        </Link>
      ))}
    </nav>
  );
}

function pathOfTab(base: string, tab: Tab): string {
  return tab === 'overview' ? base : `${base}/${tab}`;
}

function Missing({ name }: { readonly name: string }) {
  const say = useText(clusterTexts);
  return (
    <EmptyState titleText={say('missing', { name })} icon={SearchIcon} headingLevel="h1">
      <EmptyStateBody>{say('missing.body')}</EmptyStateBody>
      <EmptyStateFooter>
        <Link href="/">{say('missing.home')}</Link>
      </EmptyStateFooter>
    </EmptyState>
  );
}
