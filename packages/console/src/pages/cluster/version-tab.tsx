import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { useState } from 'react';
import { clusters, kubernetesReleases } from '../../api/resources.ts';
import { useResources } from '../../api/use-resources.ts';
import { change } from '../../api/write.ts';
import { ChangePreview } from '../../cluster/change-preview.tsx';
import { dryRunPatch } from '../../cluster/dry-run.ts';
import { Field } from '../../cluster/field.tsx';
import { useDryRun } from '../../cluster/use-dry-run.ts';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useNow } from '../../text/relative-time.tsx';
import { useLocale } from '../../text/settings.ts';
import { day } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import type { TabProps } from './tab.ts';
import { UpgradePreview } from './upgrade-preview.tsx';
import { upgradeTargets } from './upgrade-targets.ts';
import { versionTexts } from './version-texts.ts';

/** The version that the cluster runs, and the effects of an upgrade. */
export function VersionTab({ cluster }: TabProps) {
  const t = useText(versionTexts);
  const { status } = cluster;
  const targets = upgradeTargets(cluster);
  const [chosen, setSelectedVersion] = useState<string>();
  const [isStarted, setIsStarted] = useState(false);
  const { run, isRunning, failure } = useWrite();
  const target = targets.find(({ version }) => version === chosen) ?? targets.at(-1);
  const start = async (version: string) => {
    setIsStarted(await run(() => change(clusters, cluster, { spec: { version } })));
  };
  return (
    <div className="fw-overview">
      <CurrentVersion cluster={cluster} />
      {isStarted && <p role="status">{t('to.started')}</p>}
      {target === undefined ? (
        status?.version !== undefined && !isStarted && <p className="fw-quiet">{t('now.current')}</p>
      ) : (
        <section className="fw-panel">
          <h2>{t('to.title')}</h2>
          <div className="fw-row fw-row-end">
            <Field id="upgrade-to" label={t('to.label')}>
              {(input) => (
                <FormSelect {...input} value={target.version} onChange={(_event, value) => setSelectedVersion(value)}>
                  {targets.map(({ version, kind }) => (
                    <FormSelectOption key={version} value={version} label={t(`to.${kind}`, { version })} />
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
              {t('to.start', { version: target.version })}
            </Button>
          </div>
        </section>
      )}
    </div>
  );
}

/** The same change as YAML. */
function UpgradeChange({ cluster, version }: Pick<TabProps, 'cluster'> & { readonly version: string }) {
  const { namespace, name = '' } = cluster.metadata;
  const patch = { spec: { version } };
  const dryRun = useDryRun(version, (signal) => dryRunPatch(clusters, { namespace, name }, patch, signal));
  return <ChangePreview resource={clusters} stored={cluster} patch={patch} dryRun={dryRun} />;
}

function CurrentVersion({ cluster: { spec, status } }: Pick<TabProps, 'cluster'>) {
  const t = useText(versionTexts);
  const locale = useLocale();
  const now = useNow();
  const { items } = useResources(kubernetesReleases);
  const version = status?.version;
  const minor = (version ?? spec.version)?.split('.').slice(0, 2).join('.');
  const end = items.find((release) => release.spec.minor === minor)?.spec.endOfLife;
  const forcedUpgradeTime = status?.endOfLife?.upgrade?.time;
  const oldest = status?.nodes?.oldestVersion;
  const date = (time: string) => day(time, locale, 'UTC');
  return (
    <section className="fw-panel">
      <h2>{version === undefined ? t('now.none') : t('now.title', { version })}</h2>
      {end !== undefined && <p>{t(Date.parse(end) > now ? 'now.support' : 'now.ended', { day: date(end) })}</p>}
      {forcedUpgradeTime !== undefined && <p className="fw-bad">{t('now.forced', { day: date(forcedUpgradeTime) })}</p>}
      {oldest !== undefined && oldest.replace(/^v/, '') !== version && <p>{t('now.nodes', { version: oldest })}</p>}
    </section>
  );
}
