import type { Cluster } from '@fairway/api/kinds/cluster';
import type { UpgradeFinding, UpgradePlanRequest, UpgradePlanStatus } from '@fairway/api/kinds/upgrade-plan-request';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { Spinner } from '@patternfly/react-core/dist/esm/components/Spinner';
import { useEffect, useState } from 'react';
import { Failure } from '../../api/failure.ts';
import { request } from '../../api/request.ts';
import { clusters, pathOf } from '../../api/resources.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { type Translate, useText } from '../../text/use-text.ts';
import { versionTexts } from './version-texts.ts';

export interface UpgradePreviewProps {
  readonly cluster: Cluster;
  readonly version: string;
}

/** What an upgrade would do, what it needs, and what would block it, according to the API. */
export function UpgradePreview({ cluster, version }: UpgradePreviewProps) {
  const t = useText(versionTexts);
  const { namespace, name } = cluster.metadata;
  const [plan, setPlan] = useState<UpgradePlanStatus>();
  const [failure, setFailure] = useState<Failure>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const aborter = new AbortController();
    setFailure(undefined);
    const body = { apiVersion: 'fairway.dev/v1alpha1', kind: 'UpgradePlanRequest', spec: { version } };
    const path = pathOf(clusters, namespace, name, 'upgradeplan');
    void request<UpgradePlanRequest>(path, { method: 'POST', body, signal: aborter.signal }).then(
      ({ status }) => setPlan(status),
      (error: unknown) => {
        if (!aborter.signal.aborted) setFailure(error instanceof Failure ? error : new Failure(0, String(error)));
      },
    );
    return () => aborter.abort();
  }, [namespace, name, version, attempt]);
  return (
    <div className="fw-preview">
      <h3>{t('to.plan')}</h3>
      <WriteFailure failure={failure} />
      {plan === undefined ? (
        failure === undefined && <Spinner size="md" aria-label={t('plan.loading')} />
      ) : (
        <UpgradePlanView plan={plan} />
      )}
      <Button variant="link" isInline onClick={() => setAttempt(attempt + 1)}>
        {t('to.look')}
      </Button>
    </div>
  );
}

function UpgradePlanView({
  plan: { estimate, steps, findings, quotas = [], addons = [] },
}: {
  readonly plan: UpgradePlanStatus;
}) {
  const t = useText(versionTexts);
  const insufficientQuotas = quotas.filter(({ isEnough }) => !isEnough);
  return (
    <>
      {estimate !== undefined && <p>{t('plan.duration', { duration: durationText(estimate.seconds, t) })}</p>}
      <h4>{t('plan.findings')}</h4>
      {findings.length === 0 && insufficientQuotas.length === 0 && <p className="fw-good">✓ {t('plan.nothing')}</p>}
      <ul className="fw-plain">
        {insufficientQuotas.map(({ name, needed, left }) => (
          <li key={name}>{t('plan.quota', { name, needed, left })}</li>
        ))}
        {findings.map((finding) => (
          <FindingItem key={`${finding.type} ${finding.pool} ${finding.message}`} finding={finding} />
        ))}
      </ul>
      <h4>{t('plan.steps')}</h4>
      <ol>
        {steps.map(({ order, type, pool, message }) => (
          <li key={`${order} ${type} ${pool}`}>
            <ServerText text={message} />
          </li>
        ))}
      </ol>
      {addons.length > 0 && (
        <>
          <h4>{t('plan.addons')}</h4>
          <ul>
            {addons.map(({ name, message }) => (
              <li key={name}>
                <ServerText text={message} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const COLORS = { Blocks: 'red', Delays: 'orange', Loses: 'orange', Unknown: 'grey' } as const;

function FindingItem({ finding: { effect, message, objects = [], more } }: { readonly finding: UpgradeFinding }) {
  const t = useText(versionTexts);
  return (
    <li>
      <Label isCompact color={COLORS[effect]}>
        {t(`effect.${effect}`)}
      </Label>{' '}
      <ServerText text={message} />
      {objects.length > 0 && (
        <ul>
          {objects.map((object) => (
            <li key={object}>
              <code>{object}</code>
            </li>
          ))}
          {more !== undefined && <li>{t('more', { count: more })}</li>}
        </ul>
      )}
    </li>
  );
}

function durationText(seconds: number, t: Translate<(typeof versionTexts)['en']>): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  return minutes < 120 ? t('minutes', { count: minutes }) : t('hours', { count: Math.round(minutes / 60) });
}
