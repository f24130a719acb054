import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Checkbox } from '@patternfly/react-core/dist/esm/components/Checkbox';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { type ReactNode, useState } from 'react';
import { plainName } from '../text/plain.ts';
import { useText } from '../text/use-text.ts';
import type { AuditUser } from './audit-event.ts';
import { type Filters, isNarrowed, PERIODS, VERBS } from './filters.ts';
import { FAIRWAY } from './person.ts';
import { activityTexts } from './texts.ts';
import { nameWords } from './words.ts';

export interface FilterFieldsProps {
  readonly filters: Filters;
  /** Who has been seen to do something, by username. */
  readonly people: ReadonlyMap<string, AuditUser>;
  readonly reader: string;
  readonly onChange: (filters: Filters) => void;
}

const NONE: Filters = { user: '', verb: '', object: '', since: '', isUnsuccessful: false };

/** What is looked for. */
export function FilterFields({ filters, people, reader, onChange }: FilterFieldsProps) {
  const say = useText(activityTexts);
  const users = [...people].map(([username, user]) => [username, nameWords(say, user, reader)] as const);
  const who = [['', say('filter.who.all')], [`!${FAIRWAY}`, say('filter.who.others')], ...users] as const;
  const verbs = [['', say('filter.verb.all')], ...VERBS.map((verb) => [verb, say(`verb.${verb}`)] as const)] as const;
  const periods = PERIODS.map((period) => [period, say(`filter.since.${period}`)] as const);
  const change = (changed: Partial<Filters>) => onChange({ ...filters, ...changed });
  return (
    <search className="fw-activity-filters">
      <Select
        id="activity-who"
        label={say('filter.who')}
        value={filters.user}
        options={who}
        onChange={(user) => change({ user })}
      />
      <Select
        id="activity-verb"
        label={say('filter.verb')}
        value={filters.verb}
        options={verbs}
        onChange={(verb) => change({ verb })}
      />
      <Select
        id="activity-since"
        label={say('filter.since')}
        value={filters.since}
        options={[['', say('filter.since.all')], ...periods]}
        onChange={(since) => change({ since: PERIODS.find((period) => period === since) ?? '' })}
      />
      <Labelled id="activity-object" label={say('filter.object')}>
        <ObjectName key={filters.object} value={filters.object} onChange={(object) => change({ object })} />
      </Labelled>
      <Checkbox
        id="activity-unsuccessful"
        label={say('filter.unsuccessful')}
        isChecked={filters.isUnsuccessful}
        onChange={(_event, isUnsuccessful) => change({ isUnsuccessful })}
      />
      {isNarrowed(filters) && (
        <Button variant="link" isInline onClick={() => onChange(NONE)}>
          {say('filter.reset')}
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
    <Labelled id={id} label={label}>
      <FormSelect id={id} value={value} onChange={(_event, next) => onChange(next)}>
        {!isKnown && <FormSelectOption value={value} label={plainName(value)} />}
        {options.map(([each, title]) => (
          <FormSelectOption key={each} value={each} label={title} />
        ))}
      </FormSelect>
    </Labelled>
  );
}

/** Asked for when it is complete, not with each letter. */
function ObjectName({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  const done = () => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <TextInput
      id="activity-object"
      value={text}
      autoCapitalize="none"
      spellCheck={false}
      onChange={(_event, next) => setText(next)}
      onBlur={done}
      onKeyDown={({ key }) => {
        if (key === 'Enter') done();
      }}
    />
  );
}

function Labelled({
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
