import './confirm.css';
import { Alert } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { ModalBody, ModalFooter, ModalHeader } from '@patternfly/react-core/dist/esm/components/Modal';
import { useState } from 'react';
import { useText } from '../../text/use-text.ts';
import { Dialog } from '../dialog.tsx';
import { confirmTexts } from './texts.ts';

/** Something that is to be asked back before it is done. */
export interface Action {
  readonly title: string;
  /** What comes of it. */
  readonly body: string;
  readonly button: string;
  /** What does the same in a terminal. */
  readonly command: string;
  /** Rejects with a Failure. */
  readonly run: () => Promise<unknown>;
}

export interface ConfirmedActionProps {
  /** Nothing is asked without one. */
  readonly action: Action | undefined;
  readonly onClose: () => void;
}

/** Asks whether it is meant, does it, and says why not where the API refuses. */
export function ConfirmedAction({ action, onClose }: ConfirmedActionProps) {
  if (action === undefined) return null;
  return <Question key={action.title} action={action} onClose={onClose} />;
}

function Question({ action, onClose }: { readonly action: Action; readonly onClose: () => void }) {
  const say = useText(confirmTexts);
  const [isRunning, setIsRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const run = () => {
    setIsRunning(true);
    setProblem(undefined);
    action.run().then(onClose, (error: Error) => {
      setProblem(error.message);
      setIsRunning(false);
    });
  };
  return (
    <Dialog onClose={onClose} aria-labelledby="confirm-title" aria-describedby="confirm-body">
      <ModalHeader title={action.title} labelId="confirm-title" />
      <ModalBody id="confirm-body">
        <p>{action.body}</p>
        <p className="fw-command-label fw-quiet">{say('same')}</p>
        {/* Focusable, so that the keyboard scrolls it. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className="fw-command" tabIndex={0}>
          {action.command}
        </pre>
        {problem !== undefined && (
          <Alert isInline variant="danger" title={say('failed')} role="alert">
            {problem}
          </Alert>
        )}
      </ModalBody>
      <ModalFooter>
        <Button variant="primary" onClick={run} isLoading={isRunning} isDisabled={isRunning}>
          {action.button}
        </Button>
        <Button variant="link" onClick={onClose}>
          {say('cancel')}
        </Button>
      </ModalFooter>
    </Dialog>
  );
}
