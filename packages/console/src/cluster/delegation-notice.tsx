import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { Alert, AlertActionLink } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useRef, useState } from 'react';
import { Failure } from '../api/failure.ts';
import { type Delegation, delegate, useSession } from '../session/session.ts';
import { ServerText } from '../text/server-text.tsx';
import { useText } from '../text/use-text.ts';
import { Copyable } from './copyable.tsx';
import {
  type Attempt,
  attemptsIn,
  createdNothing,
  forgetAttempt,
  nextAttempt,
  recordAttempt,
  storeDelegation,
} from './delegation.ts';
import { delegationTexts } from './delegation-texts.ts';

export interface DelegationNoticeProps {
  readonly namespace: string;
  readonly credentials: readonly CloudCredential[];
  /** Whether to ask for permission; otherwise only leftovers of earlier attempts are reported. */
  readonly isAsking: boolean;
  /** Whether clusters can be created without this permission. */
  readonly isOptional: boolean;
  /** Called with the name of the CloudCredential. */
  readonly onGranted: (name: string) => void;
}

interface CreatedDelegation {
  readonly attempt: Attempt;
  readonly delegation: Delegation;
}

/** Asks for permission to act in the project; one click creates the application credential and stores it. */
export function DelegationNotice({ namespace, credentials, isAsking, isOptional, onGranted }: DelegationNoticeProps) {
  const t = useText(delegationTexts);
  const session = useSession();
  const [attempts, setAttempts] = useState(() => attemptsIn(namespace, localStorage));
  const [isWorking, setIsWorking] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isBusy = useRef(false);
  // The secret exists only in this page's memory. A reload loses it, and the leftovers are reported.
  const created = useRef<CreatedDelegation>(undefined);
  const [random] = useState(() => crypto.randomUUID().slice(0, 5));
  const names = credentials.map(({ metadata }) => metadata.name ?? '');
  const next =
    created.current?.attempt ?? nextAttempt(namespace, [...names, ...attempts.map(({ name }) => name)], random);

  const grant = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    setIsWorking(true);
    setFailure(undefined);
    try {
      recordAttempt(namespace, next, localStorage);
      created.current ??= { attempt: next, delegation: await delegate(next.keystoneName) };
      await storeDelegation(namespace, next, created.current.delegation);
      forgetAttempt(namespace, next, localStorage);
      created.current = undefined;
      onGranted(next.name);
    } catch (error) {
      const failed = error instanceof Failure ? error : new Failure(0, String(error));
      if (created.current === undefined && createdNothing(failed)) forgetAttempt(namespace, next, localStorage);
      // A rejected name is not used again.
      if (!failed.isTransient) created.current = undefined;
      setFailure(failed);
    } finally {
      isBusy.current = false;
      setIsWorking(false);
      setAttempts(attemptsIn(namespace, localStorage));
    }
  };
  const isStored = ({ secretName }: Attempt) => credentials.some(({ spec }) => spec.secretRef.name === secretName);
  const command = `fairway credential create ${next.name} --cloud CLOUD -n ${namespace}`;
  const unfinishedAttempts = isWorking ? [] : attempts.filter(({ name }) => name !== created.current?.attempt.name);

  return (
    <>
      {unfinishedAttempts.map((attempt) => (
        <Alert
          key={attempt.name}
          component="h3"
          isInline
          variant="warning"
          title={t('left.title')}
          actionLinks={
            <AlertActionLink
              onClick={() => {
                forgetAttempt(namespace, attempt, localStorage);
                setAttempts(attemptsIn(namespace, localStorage));
              }}
            >
              {t('left.done')}
            </AlertActionLink>
          }
        >
          <p>{t(isStored(attempt) ? 'left.stored' : 'left.body', { ...attempt })}</p>
          {!isStored(attempt) && (
            <Copyable
              label={t('left.command')}
              text={`openstack application credential delete ${attempt.keystoneName}`}
            />
          )}
        </Alert>
      ))}
      {isAsking && (
        <Alert component="h3" isInline variant="info" title={t(isOptional ? 'another' : 'title')}>
          <p>{t('what', { ...next })}</p>
          <p>{t('takeBack', { ...next })}</p>
          {session.kind === 'keystone' ? (
            // Takes the focus from the button that opened it, wherever that button is on the page.
            <Button autoFocus={isOptional} isDisabled={isWorking} onClick={() => void grant()}>
              {t(isWorking ? 'working' : failure === undefined ? 'allow' : 'again')}
            </Button>
          ) : (
            <>
              <p>{t('signedInByToken')}</p>
              <Copyable label={t('command')} text={command} />
            </>
          )}
        </Alert>
      )}
      {failure !== undefined && (
        <Alert
          component="h3"
          isInline
          isLiveRegion
          variant="danger"
          title={
            failure.isTransient ? (
              t(created.current === undefined ? 'unknown' : 'unheard')
            ) : (
              <ServerText text={failure.message} />
            )
          }
        >
          <p>{t('instead')}</p>
          <Copyable label={t('command')} text={command} />
        </Alert>
      )}
    </>
  );
}
