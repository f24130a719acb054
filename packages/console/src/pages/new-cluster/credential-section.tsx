import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { Field } from '../../cluster/field.tsx';
import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

export interface CredentialSectionProps {
  readonly credentials: readonly CloudCredential[];
  /** Whether the operator has given the project a cloud, for which none is named. */
  readonly hasOwnCloud: boolean;
  readonly value: string | undefined;
  readonly problems: readonly string[];
  readonly onChange: (credentialName: string) => void;
  /** Wants one that does not exist yet; undefined where nobody could make one here. */
  readonly onAnother: (() => void) | undefined;
}

/** By which CloudCredential the cluster acts in the cloud; few have a choice. */
export function CredentialSection(props: CredentialSectionProps) {
  const { credentials, hasOwnCloud, value, problems, onChange, onAnother } = props;
  const say = useText(newClusterTexts);
  return (
    <>
      {credentials.length > 0 && (
        <Field id="credential" label={say('credential')} problems={problems}>
          {(input) => (
            <FormSelect {...input} className="fw-short" value={value ?? ''} onChange={(_event, next) => onChange(next)}>
              {hasOwnCloud && <FormSelectOption value="" label={say('credential.own')} />}
              {credentials.map(({ metadata: { name = '' } }) => (
                <FormSelectOption key={name} value={name} label={name} />
              ))}
            </FormSelect>
          )}
        </Field>
      )}
      {onAnother && (
        <div>
          <Button variant="link" isInline onClick={onAnother}>
            {say('credential.another')}
          </Button>
        </div>
      )}
    </>
  );
}
