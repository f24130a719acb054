import type { Plan } from '@fairway/api/kinds/plan';
import { HelperText } from '@patternfly/react-core/dist/esm/components/HelperText';
import { UnknownNotice } from '../../app/outdated-notice.tsx';
import { RadioChoice } from '../../cluster/choice.tsx';
import { FieldMessage } from '../../cluster/field.tsx';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

export interface PlanSectionProps {
  readonly plans: readonly Plan[];
  /** Whether the list is complete. */
  readonly isKnown: boolean;
  readonly value: string;
  readonly problems: readonly string[];
  readonly onChange: (plan: string) => void;
}

/** Plans with their features and limits. */
export function PlanSection({ plans, isKnown, value, problems, onChange }: PlanSectionProps) {
  const t = useText(newClusterTexts);
  const words = ({ spec }: Plan) =>
    [
      t(spec.controlPlane.topology === 'SingleZone' ? 'plan.single' : 'plan.multi'),
      t(`plan.target.${spec.availability.kind}`, { target: spec.availability.target }),
      t('plan.nodes', { count: spec.maxNodes }),
      t('plan.cni', { cni: spec.cni.default }),
    ].join(' · ');
  return (
    <div>
      {!isKnown && plans.length === 0 && <UnknownNotice />}
      {isKnown && plans.length === 0 && <p className="fw-quiet">{t('plan.none')}</p>}
      <RadioChoice
        name="plan"
        label={t('plan')}
        value={value}
        describedBy="plan-help"
        options={plans.map((plan) => ({
          value: plan.metadata.name ?? '',
          title: plainName(plan.spec.displayName),
          body: words(plan),
        }))}
        onChange={onChange}
      />
      <HelperText id="plan-help" aria-live="polite">
        <FieldMessage problems={problems} />
      </HelperText>
    </div>
  );
}
