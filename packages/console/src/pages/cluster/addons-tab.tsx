import type { Cluster } from '@fairway/api/kinds/cluster';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useState } from 'react';
import { Link } from 'wouter';
import { serverClock } from '../../api/server-clock.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { type DisplayState, StateLabel } from '../../app/state-label.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { addonsTexts } from './addons-texts.ts';
import { annotating } from './annotate.ts';
import type { TabProps } from './tab.ts';
import { clusterTexts } from './texts.ts';

const ADOPT = 'fairway.dev/adopt-addons';
const STATES: Readonly<Record<AddonStatus['state'], DisplayState>> = {
  Ready: 'ready',
  Progressing: 'progress',
  Modified: 'attention',
  NotManaged: 'asleep',
  Degraded: 'attention',
  Unreached: 'attention',
  Failed: 'attention',
};

/** What Fairway has installed in the cluster, how it fares, and what is the tenant's own of it. */
export function AddonsTab({ cluster }: TabProps) {
  const say = useText(addonsTexts);
  const { addons = [] } = cluster.status ?? {};
  return (
    <div className="fw-overview">
      <section className="fw-panel" aria-labelledby="addons-title">
        <h2 id="addons-title">{say('title')}</h2>
        <p>{say('lead')}</p>
        {addons.length === 0 ? <p className="fw-quiet">{say('none')}</p> : <AddonsTable addons={addons} />}
      </section>
      <OwnPanel cluster={cluster} addons={addons} />
      <SettingsPanel cluster={cluster} />
    </div>
  );
}

function AddonsTable({ addons }: { readonly addons: readonly AddonStatus[] }) {
  const say = useText(addonsTexts);
  const sayCluster = useText(clusterTexts);
  return (
    <Table aria-labelledby="addons-title" variant="compact">
      <Thead>
        <Tr>
          {(['name', 'version', 'state', 'message', 'since'] as const).map((column) => (
            <Th key={column}>{say(`column.${column}`)}</Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {addons.map(({ name, version, state, message, lastTransitionTime }) => (
          <Tr key={name}>
            <Td dataLabel={say('column.name')} className="fw-name">
              {name}
            </Td>
            <Td dataLabel={say('column.version')}>{version ?? '–'}</Td>
            <Td dataLabel={say('column.state')}>
              <StateLabel state={STATES[state]}>{sayCluster(`addon.${state}`)}</StateLabel>
            </Td>
            <Td dataLabel={say('column.message')}>
              <ServerText text={message} />
            </Td>
            <Td dataLabel={say('column.since')}>
              <When at={lastTransitionTime} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function OwnPanel({ cluster, addons }: { readonly cluster: Cluster; readonly addons: readonly AddonStatus[] }) {
  const say = useText(addonsTexts);
  const [action, setAction] = useState<Action>();
  const own = addons.filter(({ state }) => state === 'Modified' || state === 'NotManaged').map(({ name }) => name);
  const { name = '' } = cluster.metadata;
  const takeOver = () =>
    setAction({
      title: say('own.title.ask', { name }),
      body: say('own.body.ask', { addons: own.join(', ') }),
      button: say('own.button'),
      ...annotating(cluster, ADOPT, serverClock.now()),
    });
  if (own.length === 0) return null;
  return (
    <section className="fw-panel">
      <h2>{say('own.title')}</h2>
      <p>{say('own.body')}</p>
      <div className="fw-actions">
        <Button variant="secondary" onClick={takeOver}>
          {say('own.do')}
        </Button>
      </div>
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </section>
  );
}

function SettingsPanel({ cluster: { metadata, spec, status } }: { readonly cluster: Cluster }) {
  const say = useText(addonsTexts);
  return (
    <section className="fw-panel">
      <h2>{say('settings.title')}</h2>
      <p>{say('settings.body')}</p>
      <ul className="fw-plain">
        <li>{say('settings.cni', { cni: status?.cni ?? spec.cni.type ?? say('settings.default') })}</li>
        <li>{say('settings.proxy', { mode: spec.kubeProxy.mode ?? say('settings.default') })}</li>
      </ul>
      <Link href={`/clusters/${metadata.namespace}/${metadata.name}/yaml`}>{say('settings.yaml')}</Link>
    </section>
  );
}
