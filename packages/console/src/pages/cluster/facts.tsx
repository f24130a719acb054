import type { Cluster } from '@fairway/api/kinds/cluster';
import type { ReactNode } from 'react';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { clusterTexts } from './texts.ts';

/** What the cluster is. */
export function Facts({ cluster: { metadata, spec, status } }: { readonly cluster: Cluster }) {
  const say = useText(clusterTexts);
  const version = status?.version ?? spec.version;
  const patch = status?.availablePatch;
  const rows: readonly (readonly [title: string, value: ReactNode])[] = [
    [say('facts.plan'), spec.plan],
    [
      say('facts.version'),
      version && patch !== undefined ? say('facts.version.patch', { version, patch }) : (version ?? '–'),
    ],
    [say('facts.endpoint'), status?.url ?? say('facts.endpoint.none')],
    [say('facts.network'), status?.network?.nodesCIDR],
    [say('facts.egress'), status?.network?.egressAddress],
    [say('facts.cni'), status?.cni],
    [say('facts.created'), <When key="created" at={metadata.creationTimestamp} />],
  ];
  const { addons = [] } = status ?? {};
  return (
    <section className="fw-panel" aria-labelledby="facts-title">
      <h2 id="facts-title">{say('facts.title')}</h2>
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
            <dt>{say('addons.title')}</dt>
            <dd>
              {addons.map(({ name, version: installed, state }) => (
                <span key={name} className="fw-addon">
                  {name} {installed} <span className="fw-quiet">{say(`addon.${state}`)}</span>
                </span>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
