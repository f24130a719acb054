import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { Card, CardBody, CardHeader, CardTitle } from '@patternfly/react-core/dist/esm/components/Card';
import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { useText } from '../../text/use-text.ts';
import { Figures } from '../operator/figures.tsx';
import type { PlanUsage } from '../operator-plans/plan-usage.ts';
import type { RolloutActionName } from './actions.ts';
import { patchRows } from './patches.ts';
import { PatchesTable } from './patches-table.tsx';
import { ReleaseDate } from './release-date.tsx';
import { Rollout } from './rollout.tsx';
import { releasesTexts } from './texts.ts';

export interface ReleaseCardProps {
  readonly release: KubernetesRelease;
  /** By exact version. */
  readonly uses: ReadonlyMap<string, PlanUsage>;
  /** Usage of the minor version. */
  readonly use: PlanUsage | undefined;
  readonly onAction: (action: RolloutActionName) => void;
}

const COLOURS = { Preview: 'blue', Supported: 'green', Deprecated: 'orange', EndOfLife: 'red' } as const;

/** A minor version: its support dates, usage by patch, and the rollout of the newest patch. */
export function ReleaseCard({ release, uses, use, onAction }: ReleaseCardProps) {
  const t = useText(releasesTexts);
  const { spec, status } = release;
  const { minor } = spec;
  const phase = status?.phase;
  return (
    <Card component="section" aria-labelledby={`release-${minor}`} isCompact>
      <CardHeader>
        <CardTitle>
          <h2 className="fw-op-card-title">
            <span id={`release-${minor}`}>Kubernetes {minor}</span>
            <Label isCompact variant="outline" color={phase === undefined ? 'grey' : COLOURS[phase]}>
              {t(`phase.${phase ?? 'unknown'}`)}
            </Label>
          </h2>
        </CardTitle>
      </CardHeader>
      <CardBody className="fw-op-release">
        <Figures
          figures={[
            { label: t('figure.newest'), value: status?.newest ?? '–' },
            { label: t('figure.clusters'), value: use?.clusters ?? 0 },
            { label: t('figure.projects'), value: use?.projects ?? 0 },
            { label: t('date.released'), value: <ReleaseDate on={spec.released} /> },
            { label: t('date.maintenance'), value: <ReleaseDate on={spec.maintenanceMode} /> },
            { label: t('date.end'), value: <ReleaseDate on={spec.endOfLife} /> },
          ]}
        />
        {status?.rollout !== undefined && (
          <Rollout
            minor={minor}
            title={t('rollout.title', { version: status.rollout.version })}
            rollout={status.rollout}
            onAction={onAction}
          />
        )}
        {status?.forcedUpgrade !== undefined && (
          <Rollout
            minor={minor}
            title={t('rollout.forced', { version: status.forcedUpgrade.version })}
            rollout={status.forcedUpgrade}
          />
        )}
        <PatchesTable minor={minor} rows={patchRows(release, uses)} />
      </CardBody>
    </Card>
  );
}
