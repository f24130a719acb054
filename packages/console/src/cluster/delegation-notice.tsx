import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import { Alert, AlertActionLink } from '@patternfly/react-core/dist/esm/components/Alert';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { useRef, useState } from 'react';
import { Failure } from '../api/failure.ts';
import { type Delegation, delegate, useSession } from '../session/session.ts';
import { useText } from '../text/use-text.ts';
import { Copyable } from './copyable.tsx';
import {
  type Attempt,
  attemptsIn,
  forgetAttempt,
  hasMadeNothing,
  nextAttempt,
  noteAttempt,
  storeDelegation,
} from './delegation.ts';
import { delegationTexts } from './delegation-texts.ts';

export interface DelegationNoticeProps {
  readonly namespace: string;
  readonly credentials: readonly CloudCredential[];
  /** Whether it is asked for; else only what is left of earlier attempts is told. */
  readonly isAsking: boolean;
  /** Whether clusters can be made without it. */
  readonly isOptional: boolean;
  /** Given the name of the CloudCredential. */
  readonly onAllowed: (name: string) => void;
}

interface Made {
  readonly attempt: Attempt;
  readonly delegation: Delegation;
}

/** Asks for the application credential by which Fairway acts in the project, and makes and stores it at one press. */
export function DelegationNotice({ namespace, credentials, isAsking, isOptional, onAllowed }: DelegationNoticeProps) {
  const say = useText(delegationTexts);
  const session = useSession();
  const [attempts, setAttempts] = useState(() => attemptsIn(namespace, localStorage));
  const [isWorking, setIsWorking] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isBusy = useRef(false);
  // The secret is in this page's memory alone; a reload loses it, and what is left is told.
  const made = useRef<Made>(undefined);
  const [random] = useState(() => crypto.randomUUID().slice(0, 5));
  const names = credentials.map(({ metadata }) => metadata.name ?? '');
  const next = made.current?.attempt ?? nextAttempt(namespace, [...names, ...attempts.map(({ name }) => name)], random);

  const allow = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    setIsWorking(true);
    setFailure(undefined);
    try {
      noteAttempt(namespace, next, localStorage);
      made.current ??= { attempt: next, delegation: await delegate(next.keystoneName) };
      await storeDelegation(namespace, next, made.current.delegation);
      forgetAttempt(namespace, next, localStorage);
      made.current = undefined;
      onAllowed(next.name);
    } catch (error) {
      const failed = error instanceof Failure ? error : new Failure(0, String(error));
      if (made.current === undefined && hasMadeNothing(failed)) forgetAttempt(namespace, next, localStorage);
      // What was refused is not tried again under its name.
      if (!failed.isPassing) made.current = undefined;
      setFailure(failed);
    } finally {
      isBusy.current = false;
      setIsWorking(false);
      setAttempts(attemptsIn(namespace, localStorage));
    }
  };
  const isStored = ({ secretName }: Attempt) => credentials.some(({ spec }) => spec.secretRef.name === secretName);
  const command = `fairway credential create ${next.name} --cloud <your cloud> -n ${namespace}`;
  const left = isWorking ? [] : attempts.filter(({ name }) => name !== made.current?.attempt.name);

  return (
    <>
      {left.map((attempt) => (
        <Alert
          key={attempt.name}
          component="h3"
          isInline
          variant="warning"
          title={say('left.title')}
          actionLinks={
            <AlertActionLink
              onClick={() => {
                forgetAttempt(namespace, attempt, localStorage);
                setAttempts(attemptsIn(namespace, localStorage));
              }}
            >
              {say('left.done')}
            </AlertActionLink>
          }
        >
          <p>{say(isStored(attempt) ? 'left.stored' : 'left.body', { ...attempt })}</p>
          {!isStored(attempt) && (
            <Copyable
              label={say('left.command')}
              text={`openstack application credential delete ${attempt.keystoneName}`}
            />
          )}
        </Alert>
      ))}
      {isAsking && (
        <Alert component="h3" isInline variant="info" title={say(isOptional ? 'another' : 'title')}>
          <p>{say('what', { ...next })}</p>
          <p>{say('takeBack', { ...next })}</p>
          {session.kind === 'keystone' ? (
            // Who has asked for it finds it, wherever on the page the question was.
            <Button autoFocus={isOptional} isDisabled={isWorking} onClick={() => void allow()}>
              {say(isWorking ? 'working' : failure === undefined ? 'allow' : 'again')}
            </Button>
          ) : (
            <>
              <p>{say('signedInByToken')}</p>
              <Copyable label={say('command')} text={command} />
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
            failure.isPassing ? (
              say(made.current === undefined ? 'unknown' : 'unheard')
            ) : (
              <span lang="en">{failure.message}</span>
            )
          }
        >
          <p>{say('instead')}</p>
          <Copyable label={say('command')} text={command} />
        </Alert>
      )}
    </>
  );
}
