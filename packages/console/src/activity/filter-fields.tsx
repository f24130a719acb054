import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { type ReactNode, useState } from 'react';
import { plainName } from '../text/plain.ts';
import { useText } from '../text/use-text.ts';
import { userText } from './activity-text.ts';
import type { AuditUser } from './audit-event.ts';
import { FAIRWAY_USER } from './audit-user.ts';
import { type Filters, hasFilters, PERIODS, VERBS } from './filters.ts';
import { activityTexts } from './texts.ts';

export interface FilterFieldsProps {
  readonly filters: Filters;
  /** Users who appear in the events, by username. */
  readonly people: ReadonlyMap<string, AuditUser>;
  readonly reader: string;
  readonly onChange: (filters: Filters) => void;
}

const NO_FILTERS: Filters = { user: '', verb: '', object: '', since: '', isUnsuccessful: false };

/** The filters of the list. */
export function FilterFields({ filters, people, reader, onChange }: FilterFieldsProps) {
  const t = useText(activityTexts);
  const users = [...people].map(([username, user]) => [username, userText(t, user, reader)] as const);
  const userLabel = [['', t('filter.who.all')], [`!${FAIRWAY_USER}`, t('filter.who.others')], ...users] as const;
  const verbs = [['', t('filter.verb.all')], ...VERBS.map((verb) => [verb, t(`verb.${verb}`)] as const)] as const;
  const periods = PERIODS.map((period) => [period, t(`filter.since.${period}`)] as const);
  const change = (changed: Partial<Filters>) => onChange({ ...filters, ...changed });
  return (
    <search className="fw-activity-filters">
      <Select
        id="activity-who"
        label={t('filter.who')}
        value={filters.user}
        options={userLabel}
        onChange={(user) => change({ user })}
      />
      <Select
        id="activity-verb"
        label={t('filter.verb')}
        value={filters.verb}
        options={verbs}
        onChange={(verb) => change({ verb })}
      />
      <Select
        id="activity-since"
        label={t('filter.since')}
        value={filters.since}
        options={[['', t('filter.since.all')], ...periods]}
        onChange={(since) => change({ since: PERIODS.find((period) => period === since) ?? '' })}
      />
      <LabelledField id="activity-object" label={t('filter.object')}>
        <ObjectName key={filters.object} value={filters.object} onChange={(object) => change({ object })} />
      </LabelledField>
      <Checkbox
        id="activity-unsuccessful"
        label={t('filter.unsuccessful')}
        isChecked={filters.isUnsuccessful}
        onChange={(_event, isUnsuccessful) => change({ isUnsuccessful })}
      />
      {hasFilters(filters) && (
        <Button variant="link" isInline onClick={() => onChange(NO_FILTERS)}>
          {t('filter.reset')}
        </Button>
      )}
    </search>
  );
}

interface SelectProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly onChange: (value: string) => void;
}

function Select({ id, label, value, options, onChange }: SelectProps) {
  const isKnown = options.some(([each]) => each === value);
  return (
    <LabelledField id={id} label={label}>
      <FormSelect id={id} value={value} onChange={(_event, next) => onChange(next)}>
        {!isKnown && <FormSelectOption value={value} label={plainName(value)} />}
        {options.map(([each, title]) => (
          <FormSelectOption key={each} value={each} label={title} />
        ))}
      </FormSelect>
    </LabelledField>
  );
}

/** Applied when the name is complete, not after each letter. */
function ObjectName({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const commit = () => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <TextInput
      id="activity-object"
      value={text}
      autoCapitalize="none"
      spellCheck={false}
      onChange={(_event, next) => setText(next)}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') commit();
      }}
    />
  );
}

function LabelledField({
  id,
  label,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <div className="fw-activity-filter">
      <label htmlFor={id}>{label}</label>
      {children}
    </div>
  );
}
