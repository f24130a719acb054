import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { HelperText } from '@patternfly/react-core/dist/esm/components/HelperText';
import { Label } from '@patternfly/react-core/dist/esm/components/Label';
import { RadioChoice } from '../../cluster/choice.tsx';
import type { ClusterSpec } from '../../cluster/draft.ts';
import { Field, FieldMessage } from '../../cluster/field.tsx';
import { ExcludedNote } from '../../limits/limit-note.tsx';
import { useLocale } from '../../text/settings.ts';
import { day } from '../../text/time.ts';
import { useText } from '../../text/use-text.ts';
import type { OfferedVersion } from './offered-versions.ts';
import { newClusterTexts } from './texts.ts';

const POLICIES: readonly NonNullable<ClusterSpec['updatePolicy']>[] = [
  'AlwaysUpdate',
  'MinimalDowntime',
  'NeverUpdate',
];
/** The default if no version is set. */
const NEWEST_PATCH = '';

export interface VersionSectionProps {
  readonly offeredVersions: readonly OfferedVersion[];
  readonly spec: ClusterSpec;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  readonly policyProblems: readonly string[];
  readonly onChange: (part: Partial<ClusterSpec>) => void;
}

/** Versions with their newest patch and end of support. */
export function VersionSection({
  offeredVersions,
  spec,
  problems,
  warnings,
  policyProblems,
  onChange,
}: VersionSectionProps) {
  const t = useText(newClusterTexts);
  const locale = useLocale();
  const body = ({ newest, supportedUntil }: OfferedVersion) =>
    [
      t('version.patch', { patch: newest }),
      ...(supportedUntil === undefined ? [] : [t('version.until', { day: day(supportedUntil, locale, 'UTC') })]),
    ].join(' · ');
  const { updatePolicy = 'AlwaysUpdate' } = spec;
  return (
    <>
      <div>
        {offeredVersions.length === 0 && <p className="fw-quiet">{t('version.unknown')}</p>}
        <RadioChoice
          name="version"
          label={t('version')}
          value={spec.version ?? NEWEST_PATCH}
          describedBy="version-help"
          options={offeredVersions.map((each) => ({
            value: each.isDefault ? NEWEST_PATCH : each.minor,
            title: (
              <>
                {t('version.title', { minor: each.minor })}{' '}
                {each.isDefault && (
                  <Label isCompact color="blue">
                    {t('version.newest')}
                  </Label>
                )}
                {each.phase === 'Preview' && (
                  <Label isCompact color="orange">
                    {t('version.preview')}
                  </Label>
                )}
              </>
            ),
            body: (
              <>
                {body(each)}
                {each.limit && (
                  <>
                    {' · '}
                    <ExcludedNote limit={each.limit} />
                  </>
                )}
              </>
            ),
            isDisabled: each.limit?.isRefused === true,
          }))}
          onChange={(version) => onChange({ version: version === NEWEST_PATCH ? undefined : version })}
        />
        <HelperText id="version-help" aria-live="polite">
          <FieldMessage problems={problems} warnings={warnings} />
        </HelperText>
      </div>
      <Field id="update-policy" label={t('version.policy')} problems={policyProblems}>
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
              <FormSelectOption key={policy} value={policy} label={t(`version.policy.${policy}`)} />
            ))}
          </FormSelect>
        )}
      </Field>
    </>
  );
}
