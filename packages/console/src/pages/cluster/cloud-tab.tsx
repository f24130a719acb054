import type { CloudResourcesStatus } from '@fairway/api/kinds/cloud-resources-request';
import type { Machine } from '@fairway/api/kinds/machine';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { FailureNotice } from '../../app/failure-notice.tsx';
import { NotKnown, Outdated } from '../../app/outdated.tsx';
import { Copyable } from '../../cluster/copyable.tsx';
import { useText } from '../../text/use-text.ts';
import { cloudTexts } from './cloud-texts.ts';
import { LoadBalancersTable } from './load-balancers-table.tsx';
import type { TabProps } from './tab.ts';
import { useCloudResources } from './use-cloud-resources.ts';
import { VolumesTable } from './volumes-table.tsx';

/** What the cluster has in the cloud besides its nodes. */
export function CloudTab({ cluster, machines = [] }: TabProps) {
  const say = useText(cloudTexts);
  const { known, failure } = useCloudResources(cluster);
  if (known === undefined) {
    if (failure !== undefined) return <FailureNotice failure={failure} />;
    return <Spinner className="fw-page-spinner" aria-label={say('loading')} />;
  }
  const { loadBalancers, moreLoadBalancers = 0, volumes, moreVolumes = 0, unknown = [] } = known;
  const isUnknown = (kind: (typeof unknown)[number]['kind']) => unknown.some((each) => each.kind === kind);
  const areBalancersUnknown = loadBalancers.length === 0 && isUnknown('LoadBalancers');
  const areVolumesUnknown = volumes.length === 0 && isUnknown('Volumes');
  return (
    <div className="fw-overview">
      <Outdated of={[{ isComplete: true, failure, asOfMs: Date.parse(known.time) }]} />
      <div role="status">{unknown.length > 0 && <Unknown unknown={unknown} />}</div>
      <section className="fw-panel" aria-labelledby="balancers-title">
        <h2 id="balancers-title">
          {areBalancersUnknown
            ? say('balancers.unknown')
            : say('balancers.title', { count: loadBalancers.length + moreLoadBalancers })}
        </h2>
        {areBalancersUnknown && <NotKnown />}
        {loadBalancers.length === 0 && !areBalancersUnknown && <p className="fw-quiet">{say('balancers.none')}</p>}
        {loadBalancers.length > 0 && <LoadBalancersTable loadBalancers={loadBalancers} labelledBy="balancers-title" />}
        {moreLoadBalancers > 0 && <p className="fw-quiet">{say('balancers.more', { count: moreLoadBalancers })}</p>}
      </section>
      <section className="fw-panel" aria-labelledby="volumes-title">
        <h2 id="volumes-title">
          {areVolumesUnknown
            ? say('volumes.unknown')
            : say(moreVolumes > 0 ? 'volumes.cut' : 'volumes.title', {
                count: volumes.length + moreVolumes,
                size: volumes.reduce((sum, { sizeGiB }) => sum + sizeGiB, 0),
              })}
        </h2>
        {areVolumesUnknown && <NotKnown />}
        {volumes.length === 0 && !areVolumesUnknown && <p className="fw-quiet">{say('volumes.none')}</p>}
        {volumes.length > 0 && <VolumesTable volumes={volumes} labelledBy="volumes-title" />}
        {moreVolumes > 0 && <p className="fw-quiet">{say('volumes.more', { count: moreVolumes })}</p>}
        <RootVolumes machines={machines} />
      </section>
      <section className="fw-panel">
        <h2>{say('usage.title')}</h2>
        <p>{say('usage.body')}</p>
        <Copyable
          label={say('usage.label')}
          text={`fairway usage --clusters --namespace ${cluster.metadata.namespace}`}
        />
      </section>
    </div>
  );
}

function Unknown({ unknown }: { readonly unknown: NonNullable<CloudResourcesStatus['unknown']> }) {
  const say = useText(cloudTexts);
  return (
    <Alert isInline variant="warning" title={say('unknown')} component="p">
      <ul className="fw-plain">
        {unknown.map(({ kind, message }) => (
          <li key={kind}>{say(`unknown.${kind}`, { message })}</li>
        ))}
      </ul>
      {say('unknown.before')}
    </Alert>
  );
}

function RootVolumes({ machines }: { readonly machines: readonly Machine[] }) {
  const say = useText(cloudTexts);
  const sizes = machines.flatMap(({ spec }) => spec.rootVolume?.sizeGiB ?? []);
  if (sizes.length === 0) return null;
  const size = sizes.reduce((sum, each) => sum + each, 0);
  return <p className="fw-quiet">{say('volumes.root', { count: sizes.length, size })}</p>;
}
