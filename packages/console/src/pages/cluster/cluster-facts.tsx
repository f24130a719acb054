import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ReactNode } from 'react';
import { RelativeTime } from '../../text/relative-time.tsx';
import { useText } from '../../text/use-text.ts';
import { clusterTexts } from './texts.ts';

/** Properties of the cluster. */
export function ClusterFacts({ cluster: { metadata, spec, status } }: { readonly cluster: Cluster }) {
  const t = useText(clusterTexts);
  const version = status?.version ?? spec.version;
  const patch = status?.availablePatch;
  const rows: readonly (readonly [title: string, value: ReactNode])[] = [
    [t('facts.plan'), spec.plan],
    [
      t('facts.version'),
      version && patch !== undefined ? t('facts.version.patch', { version, patch }) : (version ?? '–'),
    ],
    [t('facts.endpoint'), status?.url ?? t('facts.endpoint.none')],
    [t('facts.network'), status?.network?.nodesCIDR],
    [t('facts.egress'), status?.network?.egressAddress],
    [t('facts.cni'), status?.cni],
    [t('facts.created'), <RelativeTime key="created" at={metadata.creationTimestamp} />],
  ];
  const { addons = [] } = status ?? {};
  return (
    <section className="fw-panel" aria-labelledby="facts-title">
      <h2 id="facts-title">{t('facts.title')}</h2>
      <dl className="fw-facts">
        {rows
          .filter(([, value]) => value !== undefined)
          .map(([title, value]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        {addons.length > 0 && (
          <div className="fw-facts-wide">
            <dt>{t('addons.title')}</dt>
            <dd>
              {addons.map(({ name, version: installed, state }) => (
                <span key={name} className="fw-addon">
                  {name} {installed} <span className="fw-quiet">{t(`addon.${state}`)}</span>
                </span>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
