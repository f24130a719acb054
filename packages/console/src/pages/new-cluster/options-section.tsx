import type { PlanSpec } from '@fairway/api/kinds/plan';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { TextArea } from '@patternfly/react-core/dist/esm/components/TextArea';
import { useState } from 'react';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { Field } from '../../cluster/field.tsx';
import { MaintenanceFields } from '../../cluster/maintenance-fields.tsx';
import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

export interface OptionsSectionProps {
  readonly spec: ClusterSpec;
  readonly plan: PlanSpec | undefined;
  readonly problemsAt: (...fields: readonly string[]) => readonly string[];
  readonly onChange: (part: Partial<ClusterSpec>) => void;
}

/** Options that most users leave unchanged. */
export function OptionsSection({ spec, plan, problemsAt, onChange }: OptionsSectionProps) {
  const t = useText(newClusterTexts);
  const [ranges, setRanges] = useState((spec.apiServer?.allowedCIDRs ?? []).join('\n'));
  return (
    <>
      <Field
        id="allowed-cidrs"
        label={t('options.cidrs')}
        help={t('options.cidrs.help')}
        problems={problemsAt('spec.apiServer')}
      >
        {(input) => (
          <TextArea
            {...input}
            value={ranges}
            rows={2}
            autoResize
            spellCheck={false}
            onChange={(_event, text) => {
              setRanges(text);
              const allowedCIDRs = text.split(/[\s,]+/).filter((range) => range !== '');
              onChange({ apiServer: { ...spec.apiServer, allowedCIDRs } });
            }}
          />
        )}
      </Field>
      <Field id="cni" label={t('options.cni')} problems={problemsAt('spec.cni')}>
        {(input) => (
          <FormSelect
            {...input}
            value={spec.cni?.type ?? ''}
            onChange={(_event, value) =>
              onChange({ cni: { ...spec.cni, type: plan?.cni.allowed.find((each) => each === value) } })
            }
          >
            <FormSelectOption value="" label={t('options.cni.default', { cni: plan?.cni.default ?? '…' })} />
            {(plan?.cni.allowed ?? [])
              .filter((each) => each !== plan?.cni.default)
              .map((each) => (
                <FormSelectOption key={each} value={each} label={each === 'none' ? t('options.cni.none') : each} />
              ))}
          </FormSelect>
        )}
      </Field>
      <MaintenanceFields
        value={spec.maintenance}
        problemsAt={problemsAt}
        onChange={(maintenance) => onChange({ maintenance })}
      />
    </>
  );
}
