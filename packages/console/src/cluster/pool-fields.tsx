import type { CloudProfileStatus } from '@fairway/api/kinds/cloud-profile';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { FormGroup, FormHelperText } from '@patternfly/react-core/dist/esm/components/Form';
import { HelperText, HelperTextItem } from '@patternfly/react-core/dist/esm/components/HelperText';
import { Switch } from '@patternfly/react-core/dist/esm/components/Switch';
import { useMemo } from 'react';
import { nodePools } from '../api/resources.ts';
import { useResources } from '../api/use-resources.ts';
import { ExcludedNote } from '../limits/limit-note.tsx';
import { featureLimit } from '../limits/plan-limits.ts';
import { plainName } from '../text/plain.ts';
import { useNow } from '../text/relative-time.tsx';
import { useText } from '../text/use-text.ts';
import type { PoolSpec } from './draft.ts';
import type { DryRunResult } from './dry-run.ts';
import { FieldMessage } from './field.tsx';
import { FlavorField } from './flavor-field.tsx';
import { NumberField } from './number-field.tsx';
import { problemsAt, warningsAt } from './problems.ts';
import { shortagesOf } from './shortages.ts';
import { partTexts } from './texts.ts';

/** Fields of a pool that the page displays messages for. */
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
  readonly plan: PlanSpec | undefined;
  readonly result: DryRunResult | undefined;
  /** Whether the pool already has nodes of a different flavor. */
  readonly isExisting?: boolean;
  readonly onChange: (spec: PoolSpec) => void;
}

/** The settings of a pool: flavor, size, autoscaling, zones. */
export function PoolFields(props: PoolFieldsProps) {
  const { id, namespace, spec, profile, plan, result, isExisting = false, onChange } = props;
  const t = useText(partTexts);
  const { items: pools } = useResources(nodePools, { namespace });
  const shortages = useMemo(() => shortagesOf(pools), [pools]);
  const autoscalingLimit = featureLimit(plan, 'Autoscaling', useNow());
  const isAutoscaled = spec.autoscaling?.enabled === true;
  const messagesFor = (...paths: readonly string[]) => ({
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
        allowed={plan?.allowed}
        shortages={shortages}
        help={isExisting ? t('pool.replaces') : undefined}
        {...messagesFor('spec.flavor')}
        onChange={(flavor) => change({ flavor })}
      />
      <NumberField
        id={`${id}-nodes`}
        label={t(isAutoscaled ? 'pool.nodes.autoscaled' : 'pool.nodes')}
        value={spec.replicas}
        {...messagesFor('spec.replicas')}
        onChange={(replicas) => change({ replicas })}
      />
      <FormGroup fieldId={`${id}-autoscaling`}>
        <Switch
          id={`${id}-autoscaling`}
          label={t('pool.autoscaling')}
          isChecked={isAutoscaled}
          isDisabled={autoscalingLimit?.isRefused === true && !isAutoscaled}
          aria-describedby={`${id}-autoscaling-help`}
          onChange={(_event, enabled) => change({ autoscaling: { ...spec.autoscaling, enabled } })}
        />
        <FormHelperText>
          <HelperText id={`${id}-autoscaling-help`}>
            <FieldMessage {...messagesFor('spec.autoscaling')} />
            <HelperTextItem>
              {autoscalingLimit ? <ExcludedNote limit={autoscalingLimit} /> : t('pool.autoscaling.help')}
            </HelperTextItem>
          </HelperText>
        </FormHelperText>
      </FormGroup>
      {isAutoscaled && (
        <div className="fw-row">
          <NumberField
            id={`${id}-min`}
            label={t('pool.min')}
            value={spec.minReplicas ?? 0}
            {...messagesFor('spec.minReplicas')}
            onChange={(minReplicas) => change({ minReplicas })}
          />
          <NumberField
            id={`${id}-max`}
            label={t('pool.max')}
            help={t('pool.max.help')}
            value={spec.maxReplicas}
            {...messagesFor('spec.maxReplicas')}
            onChange={(maxReplicas) => change({ maxReplicas })}
          />
        </div>
      )}
      <Zones
        id={id}
        zones={profile.zones ?? []}
        chosen={spec.availabilityZones ?? []}
        {...messagesFor('spec.availabilityZones')}
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
  const t = useText(partTexts);
  // A zone that the cloud no longer lists stays, so that it can be deselected.
  const all = [...new Set([...zones, ...chosen])];
  if (all.length < 2 && chosen.length === 0) return null;
  return (
    <FormGroup role="group" label={t('pool.zones')} fieldId={`${id}-zones`} isInline isStack={false}>
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
          <FieldMessage problems={problems} warnings={warnings} />
          <HelperTextItem>{t('pool.zones.help')}</HelperTextItem>
        </HelperText>
      </FormHelperText>
    </FormGroup>
  );
}
