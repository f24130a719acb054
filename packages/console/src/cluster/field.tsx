import { FormGroup, FormHelperText } from '@patternfly/react-core/dist/esm/components/Form';
import { HelperText, HelperTextItem } from '@patternfly/react-core/dist/esm/components/HelperText';
import type { ReactNode } from 'react';
import { ServerText } from '../text/server-text.tsx';

/** Props that associate an input with its messages for screen readers. */
export interface InputProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
  readonly validated: 'error' | 'warning' | 'default';
}

export interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly help?: ReactNode;
  /** Messages of the API. */
  readonly problems?: readonly string[];
  readonly warnings?: readonly string[];
  readonly isRequired?: boolean;
  readonly children: (props: InputProps) => ReactNode;
}

/** An input with its label and the API's messages about its value. */
export function Field({ id, label, help, problems = [], warnings = [], isRequired = false, children }: FieldProps) {
  const helpId = `${id}-help`;
  const hasHelp = problems.length > 0 || warnings.length > 0 || Boolean(help);
  return (
    <FormGroup label={label} fieldId={id} isRequired={isRequired}>
      {children({
        id,
        'aria-describedby': hasHelp ? helpId : undefined,
        'aria-invalid': problems.length > 0,
        validated: problems.length > 0 ? 'error' : warnings.length > 0 ? 'warning' : 'default',
      })}
      {hasHelp && (
        <FormHelperText>
          <HelperText id={helpId} aria-live="polite">
            <FieldMessage problems={problems} warnings={warnings} />
            {help && problems.length === 0 && <HelperTextItem>{help}</HelperTextItem>}
          </HelperText>
        </FormHelperText>
      )}
    </FormGroup>
  );
}

/** The API's messages, one per line. */
export function FieldMessage({
  problems = [],
  warnings = [],
}: {
  readonly problems?: readonly string[];
  readonly warnings?: readonly string[];
}) {
  return (
    <>
      {problems.map((text) => (
        <HelperTextItem key={text} variant="error">
          <ServerText text={text} />
        </HelperTextItem>
      ))}
      {warnings.map((text) => (
        <HelperTextItem key={text} variant="warning">
          <ServerText text={text} />
        </HelperTextItem>
      ))}
    </>
  );
}
