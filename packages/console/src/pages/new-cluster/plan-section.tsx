import type { Plan } from '@fairway/api/kinds/plan';
import { HelperText } from '@patternfly/react-core/dist/esm/components/HelperText';
import { NotKnown } from '../../app/outdated.tsx';
import { Choice } from '../../cluster/choice.tsx';
import { Said } from '../../cluster/field.tsx';
import { plainName } from '../../text/plain.ts';
import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

export interface PlanSectionProps {
  readonly plans: readonly Plan[];
  /** Whether these are all. */
  readonly isKnown: boolean;
  readonly value: string;
  readonly problems: readonly string[];
  readonly onChange: (plan: string) => void;
}

/** Plans with what they promise and where they end. */
export function PlanSection({ plans, isKnown, value, problems, onChange }: PlanSectionProps) {
  const say = useText(newClusterTexts);
  const words = ({ spec }: Plan) =>
    [
      say(spec.controlPlane.topology === 'SingleZone' ? 'plan.single' : 'plan.multi'),
      say(`plan.target.${spec.availability.kind}`, { target: spec.availability.target }),
      say('plan.nodes', { count: spec.maxNodes }),
      say('plan.cni', { cni: spec.cni.default }),
    ].join(' · ');
  return (
    <div>
      {!isKnown && plans.length === 0 && <NotKnown />}
      {isKnown && plans.length === 0 && <p className="fw-quiet">{say('plan.none')}</p>}
      <Choice
        name="plan"
        label={say('plan')}
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
        <Said problems={problems} />
      </HelperText>
    </div>
  );
}
