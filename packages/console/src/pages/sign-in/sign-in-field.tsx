import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { FormGroup, FormHelperText } from '@patternfly/react-core/dist/esm/components/Form';
import { HelperText, HelperTextItem } from '@patternfly/react-core/dist/esm/components/HelperText';
import { InputGroup, InputGroupItem } from '@patternfly/react-core/dist/esm/components/InputGroup';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { EyeIcon } from '@patternfly/react-icons/dist/esm/icons/eye-icon';
import { EyeSlashIcon } from '@patternfly/react-icons/dist/esm/icons/eye-slash-icon';
import { useState } from 'react';
import { useText } from '../../text/use-text.ts';
import type { Field } from './form.ts';
import { signInTexts } from './texts.ts';

type Help = 'field.domain.help' | 'field.passcode.help' | 'field.credential.help' | 'field.token.help';

const HELP: Partial<Readonly<Record<Field, Help>>> = {
  domain: 'field.domain.help',
  passcode: 'field.passcode.help',
  credentialSecret: 'field.credential.help',
  token: 'field.token.help',
};
/** Values for password managers. */
const AUTOCOMPLETE: Readonly<Record<Field, string>> = {
  username: 'username',
  domain: 'off',
  password: 'current-password',
  passcode: 'one-time-code',
  credentialId: 'off',
  credentialSecret: 'off',
  token: 'off',
};
const SECRET: readonly Field[] = ['password', 'credentialSecret', 'token'];

export interface SignInFieldProps {
  readonly field: Field;
  readonly value: string;
  readonly isMissing: boolean;
  readonly onChange: (value: string) => void;
}

export function SignInField({ field, value, isMissing, onChange }: SignInFieldProps) {
  const t = useText(signInTexts);
  const [isShown, setIsShown] = useState(false);
  const isSecret = SECRET.includes(field);
  const help = HELP[field];
  const helpId = `${field}-help`;
  const input = (
    <TextInput
      id={field}
      name={field}
      value={value}
      type={isSecret && !isShown ? 'password' : 'text'}
      autoComplete={AUTOCOMPLETE[field]}
      autoCapitalize="none"
      spellCheck={false}
      isRequired
      validated={isMissing ? 'error' : 'default'}
      aria-describedby={isMissing || help !== undefined ? helpId : undefined}
      inputMode={field === 'passcode' ? 'numeric' : undefined}
      onChange={(_event, next) => onChange(next)}
    />
  );
  return (
    <FormGroup label={t(`field.${field}`)} fieldId={field} isRequired>
      {isSecret ? (
        <InputGroup>
          <InputGroupItem isFill>{input}</InputGroupItem>
          <InputGroupItem>
            <Button
              variant="control"
              aria-label={t(isShown ? 'hide.password' : 'show.password')}
              icon={isShown ? <EyeSlashIcon /> : <EyeIcon />}
              onClick={() => setIsShown(!isShown)}
            />
          </InputGroupItem>
        </InputGroup>
      ) : (
        input
      )}
      {(isMissing || help !== undefined) && (
        <FormHelperText>
          <HelperText id={helpId}>
            <HelperTextItem variant={isMissing ? 'error' : 'default'}>
              {isMissing ? t('missing') : help !== undefined && t(help)}
            </HelperTextItem>
          </HelperText>
        </FormHelperText>
      )}
    </FormGroup>
  );
}
