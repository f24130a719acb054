import './confirm.css';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { Form, FormGroup } from '@patternfly/react-core/dist/esm/components/Form';
import { ModalBody, ModalFooter, ModalHeader } from '@patternfly/react-core/dist/esm/components/Modal';
import { TextInput } from '@patternfly/react-core/dist/esm/components/TextInput';
import { useState } from 'react';
import { useWrite } from '../../cluster/use-write.ts';
import { WriteFailure } from '../../cluster/write-failure.tsx';
import { useText } from '../../text/use-text.ts';
import { Dialog } from '../dialog.tsx';
import { confirmTexts } from './texts.ts';

/** An action that requires confirmation. */
export interface Action {
  readonly title: string;
  /** The effects of the action, and what is lost. */
  readonly body: string;
  readonly button: string;
  /** The equivalent command. */
  readonly command: string;
  /** `harmful`: something stops or is lost. `final`: the action cannot be undone, and the user must type the name. */
  readonly danger?: { readonly kind: 'harmful' } | { readonly kind: 'final'; readonly name: string };
  /** Rejects with a Failure. */
  readonly run: () => Promise<unknown>;
}

export interface ConfirmedActionProps {
  /** Undefined: the dialog is closed. */
  readonly action: Action | undefined;
  readonly onClose: () => void;
}

/** Asks for confirmation, performs the action, and displays the API's error if it fails. */
export function ConfirmedAction({ action, onClose }: ConfirmedActionProps) {
  if (action === undefined) return null;
  return <Question key={action.title} action={action} onClose={onClose} />;
}

const FORM_ID = 'confirm-form';

function Question({ action, onClose }: { readonly action: Action; readonly onClose: () => void }) {
  const t = useText(confirmTexts);
  const { run, isRunning, failure } = useWrite();
  const [typedName, setTypedName] = useState('');
  const { danger } = action;
  const isConfirmed = danger?.kind !== 'final' || typedName === danger.name;
  const submit = async () => {
    if (isConfirmed && (await run(action.run))) onClose();
  };
  return (
    <Dialog onClose={onClose} aria-labelledby="confirm-title" aria-describedby="confirm-body">
      <ModalHeader title={action.title} labelId="confirm-title" {...(danger && { titleIconVariant: 'warning' })} />
      <ModalBody id="confirm-body">
        <p>{action.body}</p>
        <Form
          id={FORM_ID}
          className="fw-confirm"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          {danger?.kind === 'final' && (
            <>
              <Alert isInline isPlain variant="warning" title={t('final')} component="p" />
              <FormGroup label={t('type', { name: danger.name })} fieldId="confirm-name">
                <TextInput
                  id="confirm-name"
                  value={typedName}
                  autoFocus
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                  onChange={(_event, next) => setTypedName(next)}
                />
              </FormGroup>
            </>
          )}
        </Form>
        <p className="fw-command-label fw-quiet">{t('same')}</p>
        {/* Focusable, so that the keyboard scrolls it. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className="fw-command" tabIndex={0}>
          {action.command}
        </pre>
        <WriteFailure failure={failure} />
      </ModalBody>
      <ModalFooter>
        <Button
          variant={danger === undefined ? 'primary' : 'danger'}
          type="submit"
          form={FORM_ID}
          isLoading={isRunning}
          isDisabled={isRunning || !isConfirmed}
        >
          {action.button}
        </Button>
        <Button variant="link" onClick={onClose}>
          {t('cancel')}
        </Button>
      </ModalFooter>
    </Dialog>
  );
}
