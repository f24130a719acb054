import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { Card, CardBody, CardHeader, CardTitle } from '@patternfly/react-core/dist/esm/components/Card';
import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { useText } from '../../text/use-text.ts';
import { Figures } from '../operator/figures.tsx';
import type { Use } from '../operator-plans/plan-use.ts';
import type { RolloutActionName } from './actions.ts';
import { patchRows } from './patches.ts';
import { Patches } from './patches-table.tsx';
import { ReleaseDate } from './release-date.tsx';
import { Rollout } from './rollout.tsx';
import { releasesTexts } from './texts.ts';

export interface ReleaseCardProps {
  readonly release: KubernetesRelease;
  /** By exact version. */
  readonly uses: ReadonlyMap<string, Use>;
  /** Of the minor version. */
  readonly use: Use | undefined;
  readonly onAction: (action: RolloutActionName) => void;
}

const COLOURS = { Preview: 'blue', Supported: 'green', Deprecated: 'orange', EndOfLife: 'red' } as const;

/** A minor version: until when it lasts, who runs which patch, and how far the newest has come. */
export function ReleaseCard({ release, uses, use, onAction }: ReleaseCardProps) {
  const say = useText(releasesTexts);
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
              {say(`phase.${phase ?? 'unknown'}`)}
            </Label>
          </h2>
        </CardTitle>
      </CardHeader>
      <CardBody className="fw-op-release">
        <Figures
          figures={[
            { label: say('figure.newest'), value: status?.newest ?? '–' },
            { label: say('figure.clusters'), value: use?.clusters ?? 0 },
            { label: say('figure.projects'), value: use?.projects ?? 0 },
            { label: say('date.released'), value: <ReleaseDate on={spec.released} /> },
            { label: say('date.maintenance'), value: <ReleaseDate on={spec.maintenanceMode} /> },
            { label: say('date.end'), value: <ReleaseDate on={spec.endOfLife} /> },
          ]}
        />
        {status?.rollout !== undefined && (
          <Rollout
            minor={minor}
            title={say('rollout.title', { version: status.rollout.version })}
            rollout={status.rollout}
            onAction={onAction}
          />
        )}
        {status?.forcedUpgrade !== undefined && (
          <Rollout
            minor={minor}
            title={say('rollout.forced', { version: status.forcedUpgrade.version })}
            rollout={status.forcedUpgrade}
          />
        )}
        <Patches minor={minor} rows={patchRows(release, uses)} />
      </CardBody>
    </Card>
  );
}
