import { NumberInput } from '@patternfly/react-core/dist/esm/components/NumberInput';
import { useText } from '../text/use-text.ts';
import { Field, type FieldProps } from './field.tsx';
import { partTexts } from './texts.ts';

export interface NumberFieldProps extends Omit<FieldProps, 'children'> {
  /** Undefined: the input is empty. */
  readonly value: number | undefined;
  readonly min?: number;
  readonly max?: number;
  readonly onChange: (value: number | undefined) => void;
}

export function NumberField({ value, min = 0, max = 999, onChange, ...field }: NumberFieldProps) {
  const t = useText(partTexts);
  const clamp = (next: number) => Math.max(min, Math.min(max, next));
  return (
    <Field {...field}>
      {({ id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid, validated }) => (
        <NumberInput
          value={value ?? ''}
          min={min}
          max={max}
          widthChars={4}
          validated={validated}
          inputName={id}
          inputAriaLabel={field.label}
          inputProps={{ id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid, 'aria-label': undefined }}
          minusBtnAriaLabel={t('fewer', { what: field.label })}
          plusBtnAriaLabel={t('more', { what: field.label })}
          onMinus={() => onChange(clamp((value ?? min) - 1))}
          onPlus={() => onChange(clamp((value ?? min) + 1))}
          onChange={(event) => {
            const text = event.currentTarget.value;
            onChange(text === '' || Number.isNaN(Number(text)) ? undefined : Number(text));
          }}
        />
      )}
    </Field>
  );
}
