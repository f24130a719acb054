import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useState } from 'react';
import { UnknownNotice } from '../../app/outdated-notice.tsx';
import { plainName } from '../../text/plain.ts';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { nodeGroups, phaseOf } from './node-groups.ts';
import type { TabProps } from './tab.ts';
import { clusterTexts } from './texts.ts';

const PHASES: readonly MachinePhase[] = ['Ready', 'Installing', 'Pending', 'NotReady', 'Draining'];
/** States also differ in shape, for users who cannot tell the colours apart. */
const SIGNS: Readonly<Record<MachinePhase, string>> = {
  Ready: '✓',
  Installing: '↓',
  Pending: '…',
  NotReady: '!',
  Draining: '→',
  Terminated: '×',
};

/** Each node as a square, by pool and zone. */
export function NodeMap({ cluster, pools = [], machines: known }: TabProps) {
  const t = useText(clusterTexts);
  const [chosen, setSelectedName] = useState<string>();
  const machines = known ?? [];
  const { nodes } = cluster.status ?? {};
  const groups = nodeGroups(
    pools.map(({ metadata }) => metadata.name ?? ''),
    machines,
  );
  const shown = machines.find(({ metadata }) => metadata.name === chosen);
  const phases = PHASES.filter((phase) => machines.some((machine) => phaseOf(machine) === phase));
  return (
    <section className="fw-panel" aria-labelledby="nodes-title">
      <h2 id="nodes-title">
        {t('nodes.title')}
        {nodes !== undefined && (
          <span className="fw-quiet fw-light">
            {t('nodes.summary', { ready: nodes.ready, desired: nodes.desired })}
          </span>
        )}
      </h2>
      {known === undefined && <UnknownNotice />}
      {known?.length === 0 && <p className="fw-quiet">{t('nodes.none')}</p>}
      {groups.map(({ pool, zones }) =>
        zones.map(({ zone, machines: zoneMachines }) => (
          <div key={`${pool} ${zone}`} className="fw-node-group">
            <h3 id={`nodes-${pool}-${zone}`}>
              {pool}
              <span className="fw-quiet">{zone === undefined ? t('nodes.noZone') : t('nodes.zone', { zone })}</span>
            </h3>
            <ul aria-labelledby={`nodes-${pool}-${zone}`}>
              {zoneMachines.map((machine) => (
                <li key={machine.metadata.name}>
                  <NodeSquare
                    machine={machine}
                    isChosen={machine.metadata.name === chosen}
                    onSelect={() =>
                      setSelectedName(machine.metadata.name === chosen ? undefined : machine.metadata.name)
                    }
                  />
                </li>
              ))}
            </ul>
          </div>
        )),
      )}
      {shown !== undefined && <NodeCard machine={shown} onClose={() => setSelectedName(undefined)} />}
      {phases.length > 0 && (
        <ul className="fw-legend" aria-label={t('nodes.legend')}>
          {phases.map((phase) => (
            <li key={phase}>
              <span className={`fw-node fw-node-${phase}`} aria-hidden="true">
                {SIGNS[phase]}
              </span>
              {t(`phase.${phase}`)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface NodeSquareProps {
  readonly machine: Machine;
  readonly isChosen: boolean;
  readonly onSelect: () => void;
}

function NodeSquare({ machine, isChosen, onSelect }: NodeSquareProps) {
  const t = useText(clusterTexts);
  const phase = phaseOf(machine);
  const label = t('node.label', { name: machine.metadata.name ?? '', phase: t(`phase.${phase}`) });
  return (
    <button
      type="button"
      className={`fw-node fw-node-${phase}`}
      title={label}
      aria-label={label}
      aria-expanded={isChosen}
      onClick={onSelect}
    >
      {SIGNS[phase]}
    </button>
  );
}

function NodeCard({ machine, onClose }: { readonly machine: Machine; readonly onClose: () => void }) {
  const t = useText(clusterTexts);
  const { metadata, spec, status } = machine;
  const message = status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  const rows = [
    [t('node.phase'), t(`phase.${phaseOf(machine)}`)],
    [t('node.address'), status?.address],
    [t('node.flavor'), spec.flavor],
    [t('node.version'), status?.version ?? spec.version],
  ].filter(([, value]) => value !== undefined);
  return (
    <div className="fw-node-card" role="group" aria-label={metadata.name}>
      <div className="fw-node-card-head">
        <strong>{metadata.name}</strong>
        <Button variant="link" isInline onClick={onClose}>
          {t('node.close')}
        </Button>
      </div>
      <dl className="fw-facts">
        {rows.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{plainName(value ?? '')}</dd>
          </div>
        ))}
      </dl>
      {message && (
        <p>
          <ServerText text={message} />
        </p>
      )}
    </div>
  );
}
