import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useState } from 'react';
import { NotKnown } from '../../app/outdated.tsx';
import { plainName } from '../../text/plain.ts';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { nodeGroups, phaseOf } from './node-groups.ts';
import type { TabProps } from './tab.ts';
import { clusterTexts } from './texts.ts';

const PHASES: readonly MachinePhase[] = ['Ready', 'Installing', 'Pending', 'NotReady', 'Draining'];
/** By shape too, for who can't tell the colours. */
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
  const say = useText(clusterTexts);
  const [chosen, setChosen] = useState<string>();
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
        {say('nodes.title')}
        {nodes !== undefined && (
          <span className="fw-quiet fw-light">
            {say('nodes.summary', { ready: nodes.ready, desired: nodes.desired })}
          </span>
        )}
      </h2>
      {known === undefined && <NotKnown />}
      {known?.length === 0 && <p className="fw-quiet">{say('nodes.none')}</p>}
      {groups.map(({ pool, zones }) =>
        zones.map(({ zone, machines: own }) => (
          <div key={`${pool} ${zone}`} className="fw-node-group">
            <h3 id={`nodes-${pool}-${zone}`}>
              {pool}
              <span className="fw-quiet">{zone === undefined ? say('nodes.noZone') : say('nodes.zone', { zone })}</span>
            </h3>
            <ul aria-labelledby={`nodes-${pool}-${zone}`}>
              {own.map((machine) => (
                <li key={machine.metadata.name}>
                  <NodeSquare
                    machine={machine}
                    isChosen={machine.metadata.name === chosen}
                    onChoose={() => setChosen(machine.metadata.name === chosen ? undefined : machine.metadata.name)}
                  />
                </li>
              ))}
            </ul>
          </div>
        )),
      )}
      {shown !== undefined && <NodeCard machine={shown} onClose={() => setChosen(undefined)} />}
      {phases.length > 0 && (
        <ul className="fw-legend" aria-label={say('nodes.legend')}>
          {phases.map((phase) => (
            <li key={phase}>
              <span className={`fw-node fw-node-${phase}`} aria-hidden="true">
                {SIGNS[phase]}
              </span>
              {say(`phase.${phase}`)}
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
  readonly onChoose: () => void;
}

function NodeSquare({ machine, isChosen, onChoose }: NodeSquareProps) {
  const say = useText(clusterTexts);
  const phase = phaseOf(machine);
  const label = say('node.label', { name: machine.metadata.name ?? '', phase: say(`phase.${phase}`) });
  return (
    <button
      type="button"
      className={`fw-node fw-node-${phase}`}
      title={label}
      aria-label={label}
      aria-expanded={isChosen}
      onClick={onChoose}
    >
      {SIGNS[phase]}
    </button>
  );
}

function NodeCard({ machine, onClose }: { readonly machine: Machine; readonly onClose: () => void }) {
  const say = useText(clusterTexts);
  const { metadata, spec, status } = machine;
  const message = status?.conditions?.find(({ type }) => type === 'Ready')?.message;
  const rows = [
    [say('node.phase'), say(`phase.${phaseOf(machine)}`)],
    [say('node.address'), status?.address],
    [say('node.flavor'), spec.flavor],
    [say('node.version'), status?.version ?? spec.version],
  ].filter(([, value]) => value !== undefined);
  return (
    <div className="fw-node-card" role="group" aria-label={metadata.name}>
      <div className="fw-node-card-head">
        <strong>{metadata.name}</strong>
        <Button variant="link" isInline onClick={onClose}>
          {say('node.close')}
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
