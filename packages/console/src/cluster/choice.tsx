import type { ReactNode } from 'react';

export interface Option<T extends string> {
  readonly value: T;
  readonly title: ReactNode;
  readonly body?: ReactNode;
  readonly isDisabled?: boolean;
}

export interface RadioChoiceProps<T extends string> {
  readonly name: string;
  readonly label: string;
  readonly value: T;
  readonly options: readonly Option<T>[];
  readonly describedBy?: string | undefined;
  readonly onChange: (value: T) => void;
}

/** A choice among a few options: radio buttons as cards. */
export function RadioChoice<T extends string>({
  name,
  label,
  value,
  options,
  describedBy,
  onChange,
}: RadioChoiceProps<T>) {
  return (
    <fieldset className="fw-choices" aria-describedby={describedBy}>
      <legend className="fw-visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="fw-choice">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.isDisabled}
            onChange={() => onChange(option.value)}
          />
          <span className="fw-choice-title">{option.title}</span>
          {option.body !== undefined && <span className="fw-choice-body">{option.body}</span>}
        </label>
      ))}
    </fieldset>
  );
}
