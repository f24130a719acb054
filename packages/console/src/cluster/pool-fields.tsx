import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { FormGroup, FormHelperText } from '@patternfly/react-core/dist/esm/components/Form';
import { HelperText, HelperTextItem } from '@patternfly/react-core/dist/esm/components/HelperText';
import { Switch } from '@patternfly/react-core/dist/esm/components/Switch';
import { useMemo } from 'react';
import { nodePools } from '../api/resources.ts';
import { useResources } from '../api/use-resources.ts';
import { plainName } from '../text/plain.ts';
import { useText } from '../text/use-text.ts';
import type { PoolSpec } from './draft.ts';
import type { DryRunResult } from './dry-run.ts';
import { Said } from './field.tsx';
import { FlavorField } from './flavor-field.tsx';
import { NumberField } from './number-field.tsx';
import { problemsAt, warningsAt } from './problems.ts';
import { shortagesOf } from './stock.ts';
import { partTexts } from './texts.ts';

/** Fields of a pool whose messages have a place on the page. */
export const POOL_FIELDS = [
  'metadata.name',
  'spec.flavor',
  'spec.replicas',
  'spec.minReplicas',
  'spec.maxReplicas',
  'spec.autoscaling',
  'spec.availabilityZones',
  'spec.rootVolume',
  'spec.floatingIPs',
] as const;

export interface PoolFieldsProps {
  /** Prefix of the inputs' IDs. */
  readonly id: string;
  readonly namespace: string;
  readonly spec: PoolSpec;
  readonly profile: CloudProfileStatus;
  readonly allowed: PlanSpec['allowed'];
  readonly result: DryRunResult | undefined;
  /** Whether nodes of another flavor already exist. */
  readonly isExisting?: boolean;
  readonly onChange: (spec: PoolSpec) => void;
}

/** The settings of a pool: flavor, size, autoscaling, zones. */
export function PoolFields(props: PoolFieldsProps) {
  const { id, namespace, spec, profile, allowed, result, isExisting = false, onChange } = props;
  const say = useText(partTexts);
  const { items: pools } = useResources(nodePools, { namespace });
  const shortages = useMemo(() => shortagesOf(pools), [pools]);
  const isAutoscaled = spec.autoscaling?.enabled === true;
  const said = (...paths: readonly string[]) => ({
    problems: problemsAt(result?.problems, ...paths),
    warnings: warningsAt(result?.warnings, ...paths),
  });
  const change = (part: Partial<PoolSpec>) => onChange({ ...spec, ...part });
  return (
    <>
      <FlavorField
        id={`${id}-flavor`}
        value={spec.flavor}
        profile={profile}
        allowed={allowed}
        shortages={shortages}
        help={isExisting ? say('pool.replaces') : undefined}
        {...said('spec.flavor')}
        onChange={(flavor) => change({ flavor })}
      />
      <NumberField
        id={`${id}-nodes`}
        label={say(isAutoscaled ? 'pool.nodes.autoscaled' : 'pool.nodes')}
        value={spec.replicas}
        {...said('spec.replicas')}
        onChange={(replicas) => change({ replicas })}
      />
      <FormGroup fieldId={`${id}-autoscaling`}>
        <Switch
          id={`${id}-autoscaling`}
          label={say('pool.autoscaling')}
          isChecked={isAutoscaled}
          aria-describedby={`${id}-autoscaling-help`}
          onChange={(_event, enabled) => change({ autoscaling: { ...spec.autoscaling, enabled } })}
        />
        <FormHelperText>
          <HelperText id={`${id}-autoscaling-help`}>
            <Said {...said('spec.autoscaling')} />
            <HelperTextItem>{say('pool.autoscaling.help')}</HelperTextItem>
          </HelperText>
        </FormHelperText>
      </FormGroup>
      {isAutoscaled && (
        <div className="fw-row">
          <NumberField
            id={`${id}-min`}
            label={say('pool.min')}
            value={spec.minReplicas ?? 0}
            {...said('spec.minReplicas')}
            onChange={(minReplicas) => change({ minReplicas })}
          />
          <NumberField
            id={`${id}-max`}
            label={say('pool.max')}
            help={say('pool.max.help')}
            value={spec.maxReplicas}
            {...said('spec.maxReplicas')}
            onChange={(maxReplicas) => change({ maxReplicas })}
          />
        </div>
      )}
      <Zones
        id={id}
        zones={profile.zones ?? []}
        chosen={spec.availabilityZones ?? []}
        {...said('spec.availabilityZones')}
        onChange={(availabilityZones) => change({ availabilityZones: [...availabilityZones] })}
      />
    </>
  );
}

interface ZonesProps {
  readonly id: string;
  readonly zones: readonly string[];
  readonly chosen: readonly string[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Zones({ id, zones, chosen, problems, warnings, onChange }: ZonesProps) {
  const say = useText(partTexts);
  // A zone that the cloud no longer lists stays, so that it can be deselected.
  const all = [...new Set([...zones, ...chosen])];
  if (all.length < 2 && chosen.length === 0) return null;
  return (
    <FormGroup role="group" label={say('pool.zones')} fieldId={`${id}-zones`} isInline isStack={false}>
      {all.map((zone) => (
        <Checkbox
          key={zone}
          id={`${id}-zone-${zone}`}
          label={plainName(zone)}
          isChecked={chosen.includes(zone)}
          onChange={(_event, isChosen) =>
            onChange(
              isChosen
                ? all.filter((each) => each === zone || chosen.includes(each))
                : chosen.filter((each) => each !== zone),
            )
          }
        />
      ))}
      <FormHelperText>
        <HelperText>
          <Said problems={problems} warnings={warnings} />
          <HelperTextItem>{say('pool.zones.help')}</HelperTextItem>
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}
