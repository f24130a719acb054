import type { Cluster } from '@fairway/api/kinds/cluster';
import type { AddonStatus } from '@fairway/api/kinds/cluster-addons';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Table, Tbody, Td, Th, Thead, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { useState } from 'react';
import { Link } from 'wouter';
import { serverClock } from '../../api/server-clock.ts';
import { type Action, ConfirmedAction } from '../../app/confirm/confirmed-action.tsx';
import { type DisplayState, StateLabel } from '../../app/state-label.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { addonsTexts } from './addons-texts.ts';
import { annotateAction } from './annotate.ts';
import type { TabProps } from './tab.ts';
import { clusterTexts } from './texts.ts';

const ADOPT_ANNOTATION = 'fairway.dev/adopt-addons';
const STATES: Readonly<Record<AddonStatus['state'], DisplayState>> = {
  Ready: 'ready',
  Progressing: 'progress',
  Modified: 'attention',
  NotManaged: 'asleep',
  Degraded: 'attention',
  Unreached: 'attention',
  Failed: 'attention',
};

/** The installed add-ons, their state, and which of them the tenant has changed. */
export function AddonsTab({ cluster }: TabProps) {
  const t = useText(addonsTexts);
  const { addons = [] } = cluster.status ?? {};
  return (
    <div className="fw-overview">
      <section className="fw-panel" aria-labelledby="addons-title">
        <h2 id="addons-title">{t('title')}</h2>
        <p>{t('lead')}</p>
        {addons.length === 0 ? <p className="fw-quiet">{t('none')}</p> : <AddonsTable addons={addons} />}
      </section>
      <ModifiedAddonsPanel cluster={cluster} addons={addons} />
      <SettingsPanel cluster={cluster} />
    </div>
  );
}

function AddonsTable({ addons }: { readonly addons: readonly AddonStatus[] }) {
  const t = useText(addonsTexts);
  const tCluster = useText(clusterTexts);
  return (
    <Table aria-labelledby="addons-title" variant="compact">
      <Thead>
        <Tr>
          {(['name', 'version', 'state', 'message', 'since'] as const).map((column) => (
            <Th key={column}>{t(`column.${column}`)}</Th>
          ))}
        </Tr>
      </Thead>
      <Tbody>
        {addons.map(({ name, version, state, message, lastTransitionTime }) => (
          <Tr key={name}>
            <Td dataLabel={t('column.name')} className="fw-name">
              {name}
            </Td>
            <Td dataLabel={t('column.version')}>{version ?? '–'}</Td>
            <Td dataLabel={t('column.state')}>
              <StateLabel state={STATES[state]}>{tCluster(`addon.${state}`)}</StateLabel>
            </Td>
            <Td dataLabel={t('column.message')}>
              <ServerText text={message} />
            </Td>
            <Td dataLabel={t('column.since')}>
              <RelativeTime at={lastTransitionTime} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function ModifiedAddonsPanel({
  cluster,
  addons,
}: {
  readonly cluster: Cluster;
  readonly addons: readonly AddonStatus[];
}) {
  const t = useText(addonsTexts);
  const [action, setAction] = useState<Action>();
  const unmanagedNames = addons
    .filter(({ state }) => state === 'Modified' || state === 'NotManaged')
    .map(({ name }) => name);
  const { name = '' } = cluster.metadata;
  const adopt = () =>
    setAction({
      title: t('own.title.ask', { name }),
      body: t('own.body.ask', { addons: unmanagedNames.join(', ') }),
      button: t('own.button'),
      ...annotateAction(cluster, ADOPT_ANNOTATION, serverClock.now()),
    });
  if (unmanagedNames.length === 0) return null;
  return (
    <section className="fw-panel">
      <h2>{t('own.title')}</h2>
      <p>{t('own.body')}</p>
      <div className="fw-actions">
        <Button variant="secondary" onClick={adopt}>
          {t('own.do')}
        </Button>
      </div>
      <ConfirmedAction action={action} onClose={() => setAction(undefined)} />
    </section>
  );
}

function SettingsPanel({ cluster: { metadata, spec, status } }: { readonly cluster: Cluster }) {
  const t = useText(addonsTexts);
  return (
    <section className="fw-panel">
      <h2>{t('settings.title')}</h2>
      <p>{t('settings.body')}</p>
      <ul className="fw-plain">
        <li>{t('settings.cni', { cni: status?.cni ?? spec.cni.type ?? t('settings.default') })}</li>
        <li>{t('settings.proxy', { mode: spec.kubeProxy.mode ?? t('settings.default') })}</li>
      </ul>
      <Link href={`/clusters/${metadata.namespace}/${metadata.name}/yaml`}>{t('settings.yaml')}</Link>
    </section>
  );
}
