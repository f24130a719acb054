import { Modal, type ModalProps } from '@patternfly/react-core/dist/esm/components/Modal';
import { useSessionState } from '../session/session.ts';
import { PAGE_CONTAINER_ID } from './preserved-page.tsx';

/** A modal dialog, above everything except the sign-in. */
export function Dialog(props: Omit<ModalProps, 'ref' | 'isOpen' | 'variant' | 'appendTo' | 'disableFocusTrap'>) {
  const session = useSessionState();
  const isBehindSignIn = session.state === 'signedIn' && session.reauthentication !== undefined;
  const appendTo = () => document.getElementById(PAGE_CONTAINER_ID) ?? document.body;
  return <Modal isOpen variant="small" appendTo={appendTo} disableFocusTrap={isBehindSignIn} {...props} />;
}
