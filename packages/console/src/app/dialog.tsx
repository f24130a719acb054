import { Modal, type ModalProps } from '@patternfly/react-core/dist/esm/components/Modal';
import { useSessionState } from '../session/session.ts';
import { KEPT_ID } from './kept.tsx';

/** A modal dialog, above everything except the sign-in. */
export function Dialog(props: Omit<ModalProps, 'ref' | 'isOpen' | 'variant' | 'appendTo' | 'disableFocusTrap'>) {
  const session = useSessionState();
  const isAway = session.state === 'signedIn' && session.again !== undefined;
  const appendTo = () => document.getElementById(KEPT_ID) ?? document.body;
  return <Modal isOpen variant="small" appendTo={appendTo} disableFocusTrap={isAway} {...props} />;
}
