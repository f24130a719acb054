import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { useState } from 'react';
import { clusters, kubernetesReleases } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { change } from '../../api/write.ts';
import { ChangePreview } from '../../cluster/change-preview.tsx';
import { tryChange } from '../../cluster/dry-run.ts';
import { Field } from '../../cluster/field.tsx';
import { useDryRun } from '../../cluster/use-dry-run.ts';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useLocale } from '../../text/settings.ts';
import { day } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import { useNow } from '../../text/when.tsx';
import type { TabProps } from './tab.ts';
import { UpgradePreview } from './upgrade-preview.tsx';
import { upgradeTargets } from './upgrade-targets.ts';
import { versionTexts } from './version-texts.ts';

/** The version that the cluster runs, and what an upgrade would do. */
export function VersionTab({ cluster }: TabProps) {
  const say = useText(versionTexts);
  const { status } = cluster;
  const targets = upgradeTargets(cluster);
  const [chosen, setChosen] = useState<string>();
  const [isStarted, setIsStarted] = useState(false);
  const { run, isRunning, failure } = useWrite();
  const target = targets.find(({ version }) => version === chosen) ?? targets.at(-1);
  const start = async (version: string) => {
    setIsStarted(await run(() => change(clusters, cluster, { spec: { version } })));
  };
  return (
    <div className="fw-overview">
      <Now cluster={cluster} />
      {isStarted && <p role="status">{say('to.started')}</p>}
      {target === undefined ? (
        status?.version !== undefined && !isStarted && <p className="fw-quiet">{say('now.current')}</p>
      ) : (
        <section className="fw-panel">
          <h2>{say('to.title')}</h2>
          <div className="fw-row fw-row-end">
            <Field id="upgrade-to" label={say('to.label')}>
              {(input) => (
                <FormSelect {...input} value={target.version} onChange={(_event, value) => setChosen(value)}>
                  {targets.map(({ version, kind }) => (
                    <FormSelectOption key={version} value={version} label={say(`to.${kind}`, { version })} />
                  ))}
                </FormSelect>
              )}
            </Field>
          </div>
          <UpgradePreview key={target.version} cluster={cluster} version={target.version} />
          <UpgradeChange cluster={cluster} version={target.version} />
          <WriteFailure failure={failure} />
          <div className="fw-actions">
            <Button isLoading={isRunning} isDisabled={isRunning} onClick={() => void start(target.version)}>
              {say('to.start', { version: target.version })}
            </Button>
          </div>
        </section>
      )}
    </div>
  );
}

/** The same as a change of the cluster's YAML. */
function UpgradeChange({ cluster, version }: Pick<TabProps, 'cluster'> & { readonly version: string }) {
  const { namespace, name = '' } = cluster.metadata;
  const patch = { spec: { version } };
  const asked = useDryRun(version, (signal) => tryChange(clusters, { namespace, name }, patch, signal));
  return <ChangePreview resource={clusters} stored={cluster} patch={patch} asked={asked} />;
}

function Now({ cluster: { spec, status } }: Pick<TabProps, 'cluster'>) {
  const say = useText(versionTexts);
  const locale = useLocale();
  const now = useNow();
  const { items } = useResources(kubernetesReleases);
  const version = status?.version;
  const minor = (version ?? spec.version)?.split('.').slice(0, 2).join('.');
  const end = items.find((release) => release.spec.minor === minor)?.spec.endOfLife;
  const forced = status?.endOfLife?.upgrade?.time;
  const oldest = status?.nodes?.oldestVersion;
  const date = (time: string) => day(time, locale, 'UTC');
  return (
    <section className="fw-panel">
      <h2>{version === undefined ? say('now.none') : say('now.title', { version })}</h2>
      {end !== undefined && <p>{say(Date.parse(end) > now ? 'now.support' : 'now.ended', { day: date(end) })}</p>}
      {forced !== undefined && <p className="fw-bad">{say('now.forced', { day: date(forced) })}</p>}
      {oldest !== undefined && oldest.replace(/^v/, '') !== version && <p>{say('now.nodes', { version: oldest })}</p>}
    </section>
  );
}
