import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { HelperText } from '@patternfly/react-core/dist/esm/components/HelperText';
import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { Choice } from '../../cluster/choice.tsx';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { Field, Said } from '../../cluster/field.tsx';
import { useLocale } from '../../text/settings.ts';
import { day } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import type { Offered } from './offered.ts';
import { newClusterTexts } from './texts.ts';

const POLICIES: readonly NonNullable<ClusterSpec['updatePolicy']>[] = [
  'AlwaysUpdate',
  'MinimalDowntime',
  'NeverUpdate',
];
/** Of who names no version. */
const NEWEST = '';

export interface VersionSectionProps {
  readonly offered: readonly Offered[];
  readonly spec: ClusterSpec;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly policyProblems: readonly string[];
  readonly onChange: (part: Partial<ClusterSpec>) => void;
}

/** Versions with their newest patch and until when they are supported. */
export function VersionSection({ offered, spec, problems, warnings, policyProblems, onChange }: VersionSectionProps) {
  const say = useText(newClusterTexts);
  const locale = useLocale();
  const body = ({ newest, supportedUntil }: Offered) =>
    [
      say('version.patch', { patch: newest }),
      ...(supportedUntil === undefined ? [] : [say('version.until', { day: day(supportedUntil, locale, 'UTC') })]),
    ].join(' · ');
  const { updatePolicy = 'AlwaysUpdate' } = spec;
  return (
    <>
      <div>
        {offered.length === 0 && <p className="fw-quiet">{say('version.unknown')}</p>}
        <Choice
          name="version"
          label={say('version')}
          value={spec.version ?? NEWEST}
          describedBy="version-help"
          options={offered.map((each) => ({
            value: each.isDefault ? NEWEST : each.minor,
            title: (
              <>
                {say('version.title', { minor: each.minor })}{' '}
                {each.isDefault && (
                  <Label isCompact color="blue">
                    {say('version.newest')}
                  </Label>
                )}
                {each.phase === 'Preview' && (
                  <Label isCompact color="orange">
                    {say('version.preview')}
                  </Label>
                )}
              </>
            ),
            body: body(each),
          }))}
          onChange={(version) => onChange({ version: version === NEWEST ? undefined : version })}
        />
        <HelperText id="version-help" aria-live="polite">
          <Said problems={problems} warnings={warnings} />
        </HelperText>
      </div>
      <Field id="update-policy" label={say('version.policy')} problems={policyProblems}>
        {(input) => (
          <FormSelect
            {...input}
            value={updatePolicy}
            onChange={(_event, value) => {
              const chosen = POLICIES.find((policy) => policy === value);
              onChange({ updatePolicy: chosen === 'AlwaysUpdate' ? undefined : chosen });
            }}
          >
            {POLICIES.map((policy) => (
              <FormSelectOption key={policy} value={policy} label={say(`version.policy.${policy}`)} />
            ))}
          </FormSelect>
        )}
      </Field>
    </>
  );
}
