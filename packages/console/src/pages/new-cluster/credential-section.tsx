import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { Field } from '../../cluster/field.tsx';
import { useText } from '../../text/use-text.ts';
import { newClusterTexts } from './texts.ts';

export interface CredentialSectionProps {
  readonly credentials: readonly CloudCredential[];
  /** Whether the operator has assigned a cloud to the project, so that clusters need no credential. */
  readonly hasOwnCloud: boolean;
  readonly value: string | undefined;
  readonly problems: readonly string[];
  readonly onChange: (credentialName: string) => void;
  /** Called when the user wants to add a credential; undefined if none can be added here. */
  readonly onAddCredential: (() => void) | undefined;
}

/** The cluster's CloudCredential; most users have only one. */
export function CredentialSection(props: CredentialSectionProps) {
  const { credentials, hasOwnCloud, value, problems, onChange, onAddCredential } = props;
  const t = useText(newClusterTexts);
  return (
    <>
      {credentials.length > 0 && (
        <Field id="credential" label={t('credential')} problems={problems}>
          {(input) => (
            <FormSelect {...input} className="fw-short" value={value ?? ''} onChange={(_event, next) => onChange(next)}>
              {hasOwnCloud && <FormSelectOption value="" label={t('credential.own')} />}
              {credentials.map(({ metadata: { name = '' } }) => (
                <FormSelectOption key={name} value={name} label={name} />
              ))}
            </FormSelect>
          )}
        </Field>
      )}
      {onAddCredential && (
        <div>
          <Button variant="link" isInline onClick={onAddCredential}>
            {t('credential.another')}
          </Button>
        </div>
      )}
    </>
  );
}
