import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { FormGroup, FormHelperText } from '@patternfly/react-core/dist/esm/components/Form';
import { HelperText, HelperTextItem } from '@patternfly/react-core/dist/esm/components/HelperText';
import { Switch } from '@patternfly/react-core/dist/esm/components/Switch';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { browserTimeZone } from '../text/time-zone.ts';
import { useText } from '../text/use-text.ts';
import type { ClusterSpec } from './draft.ts';
import { Field } from './field.tsx';
import { maintenanceTexts } from './maintenance-texts.ts';

type Maintenance = NonNullable<ClusterSpec['maintenance']>;
type Day = NonNullable<NonNullable<Maintenance['window']>['days']>[number];

const DAYS: readonly Day[] = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const DEFAULT_WINDOW = { start: '02:00', duration: '2h' };

export interface MaintenanceFieldsProps {
  readonly value: Maintenance | undefined;
  readonly problemsAt: (...fields: readonly string[]) => readonly string[];
  readonly onChange: (value: Maintenance | undefined) => void;
}

/** The maintenance window. A new one is in the user's time zone. */
export function MaintenanceFields({ value, problemsAt, onChange }: MaintenanceFieldsProps) {
  const t = useText(maintenanceTexts);
  const window = value?.window;
  const timeZone = window?.timeZone ?? (window === undefined ? browserTimeZone() : 'UTC');
  const change = (part: Partial<NonNullable<typeof window>>) =>
    onChange({ ...value, window: { ...DEFAULT_WINDOW, ...window, timeZone, ...part } });
  return (
    <>
      <FormGroup fieldId="window">
        <Switch
          id="window"
          label={t('title')}
          isChecked={window !== undefined}
          aria-describedby="window-help"
          onChange={(_event, isEnabled) => (isEnabled ? change({}) : onChange(undefined))}
        />
        <FormHelperText>
          <HelperText>
            <HelperTextItem id="window-help">{t('help')}</HelperTextItem>
          </HelperText>
        </FormHelperText>
      </FormGroup>
      {window !== undefined && (
        <>
          <div className="fw-row">
            <Field id="window-start" label={t('start')} problems={problemsAt('spec.maintenance.window.start')}>
              {(input) => (
                <TextInput
                  {...input}
                  type="time"
                  value={window.start}
                  onChange={(_event, start) => change({ start })}
                />
              )}
            </Field>
            <Field
              id="window-duration"
              label={t('duration')}
              help={t('duration.help')}
              problems={problemsAt('spec.maintenance.window.duration')}
            >
              {(input) => (
                <TextInput
                  {...input}
                  value={window.duration ?? ''}
                  spellCheck={false}
                  onChange={(_event, duration) => change({ duration })}
                />
              )}
            </Field>
          </div>
          <FormGroup role="group" label={t('days')} fieldId="window-days" isInline>
            {DAYS.map((day) => (
              <Checkbox
                key={day}
                id={`window-${day}`}
                label={t(`day.${day}`)}
                isChecked={window.days?.includes(day) ?? false}
                onChange={(_event, isChosen) => {
                  const days = DAYS.filter((each) => (each === day ? isChosen : window.days?.includes(each)));
                  change({ days });
                }}
              />
            ))}
            <FormHelperText>
              <HelperText>
                <HelperTextItem>{t('days.help', { zone: timeZone })}</HelperTextItem>
              </HelperText>
            </FormHelperText>
          </FormGroup>
        </>
      )}
    </>
  );
}
