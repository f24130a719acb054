import type { CloudResourcesStatus } from '@fairway/api/kinds/cloud-resources-request';
import type { Machine } from '@fairway/api/kinds/machine';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { OutdatedNotice, UnknownNotice } from '../../app/outdated-notice.tsx';
import { Copyable } from '../../cluster/copyable.tsx';
import { useText } from '../../text/use-text.ts';
import { cloudTexts } from './cloud-texts.ts';
import { LoadBalancersTable } from './load-balancers-table.tsx';
import type { TabProps } from './tab.ts';
import { useCloudResources } from './use-cloud-resources.ts';
import { VolumesTable } from './volumes-table.tsx';

/** The cluster's cloud resources other than its nodes. */
export function CloudTab({ cluster, machines = [] }: TabProps) {
  const t = useText(cloudTexts);
  const { known, failure } = useCloudResources(cluster);
  if (known === undefined) {
    if (failure !== undefined) return <FailureNotice failure={failure} />;
    return <Spinner className="fw-page-spinner" aria-label={t('loading')} />;
  }
  const { loadBalancers, moreLoadBalancers = 0, volumes, moreVolumes = 0, unknown = [] } = known;
  const isUnknown = (kind: (typeof unknown)[number]['kind']) => unknown.some((each) => each.kind === kind);
  const areLoadBalancersUnknown = loadBalancers.length === 0 && isUnknown('LoadBalancers');
  const areVolumesUnknown = volumes.length === 0 && isUnknown('Volumes');
  return (
    <div className="fw-overview">
      <OutdatedNotice of={[{ isComplete: true, failure, asOfMs: Date.parse(known.time) }]} />
      <div role="status">{unknown.length > 0 && <UnknownResources unknown={unknown} />}</div>
      <section className="fw-panel" aria-labelledby="balancers-title">
        <h2 id="balancers-title">
          {areLoadBalancersUnknown
            ? t('balancers.unknown')
            : t('balancers.title', { count: loadBalancers.length + moreLoadBalancers })}
        </h2>
        {areLoadBalancersUnknown && <UnknownNotice />}
        {loadBalancers.length === 0 && !areLoadBalancersUnknown && <p className="fw-quiet">{t('balancers.none')}</p>}
        {loadBalancers.length > 0 && <LoadBalancersTable loadBalancers={loadBalancers} labelledBy="balancers-title" />}
        {moreLoadBalancers > 0 && <p className="fw-quiet">{t('balancers.more', { count: moreLoadBalancers })}</p>}
      </section>
      <section className="fw-panel" aria-labelledby="volumes-title">
        <h2 id="volumes-title">
          {areVolumesUnknown
            ? t('volumes.unknown')
            : t(moreVolumes > 0 ? 'volumes.cut' : 'volumes.title', {
                count: volumes.length + moreVolumes,
                size: volumes.reduce((sum, { sizeGiB }) => sum + sizeGiB, 0),
              })}
        </h2>
        {areVolumesUnknown && <UnknownNotice />}
        {volumes.length === 0 && !areVolumesUnknown && <p className="fw-quiet">{t('volumes.none')}</p>}
        {volumes.length > 0 && <VolumesTable volumes={volumes} labelledBy="volumes-title" />}
        {moreVolumes > 0 && <p className="fw-quiet">{t('volumes.more', { count: moreVolumes })}</p>}
        <RootVolumes machines={machines} />
      </section>
      <section className="fw-panel">
        <h2>{t('usage.title')}</h2>
        <p>{t('usage.body')}</p>
        <Copyable
          label={t('usage.label')}
          text={`fairway usage --clusters --namespace ${cluster.metadata.namespace}`}
        />
      </section>
    </div>
  );
}

function UnknownResources({ unknown }: { readonly unknown: NonNullable<CloudResourcesStatus['unknown']> }) {
  const t = useText(cloudTexts);
  return (
    <Alert isInline variant="warning" title={t('unknown')} component="p">
      <ul className="fw-plain">
        {unknown.map(({ kind, message }) => (
          <li key={kind}>{t(`unknown.${kind}`, { message })}</li>
        ))}
      </ul>
      {t('unknown.before')}
    </Alert>
  );
}

function RootVolumes({ machines }: { readonly machines: readonly Machine[] }) {
  const t = useText(cloudTexts);
  const sizes = machines.flatMap(({ spec }) => spec.rootVolume?.sizeGiB ?? []);
  if (sizes.length === 0) return null;
  const size = sizes.reduce((sum, each) => sum + each, 0);
  return <p className="fw-quiet">{t('volumes.root', { count: sizes.length, size })}</p>;
}
