import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { Td, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { Link } from 'wouter';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import { NotKnown } from '../../app/outdated.tsx';
import { StateLabel } from '../../app/state-label.tsx';
import { plainName } from '../../text/plain.ts';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { When } from '../../text/when.tsx';
import { readyOf } from '../operator/ready.ts';
import { deleting, switching } from './actions.ts';
import { ownCredentialsTexts } from './texts.ts';

export interface CredentialRowProps {
  readonly credential: CloudCredential;
  /** Undefined while it is not known. */
  readonly used: readonly Cluster[] | undefined;
  readonly successors: readonly CloudCredential[];
  readonly onAction: (action: Action) => void;
}

export function CredentialRow({ credential, used, successors, onAction }: CredentialRowProps) {
  const say = useText(ownCredentialsTexts);
  const { name = '', namespace = '', deletionTimestamp } = credential.metadata;
  const { userName, type, expiresAt, conditions = [] } = credential.status ?? {};
  const { state, message } = readyOf(credential);
  const soon = conditions.find((each) => each.type === 'ExpiresSoon' && each.status === 'True')?.message;
  const told = state === 'ready' ? soon : message;
  return (
    <Tr>
      <Td dataLabel={say('column.name')}>
        <span className="fw-name">{name}</span>
        <div className="fw-quiet">{plainName([credential.spec.cloud, type].filter(Boolean).join(' · '))}</div>
      </Td>
      <Td dataLabel={say('column.user')}>{plainName(userName ?? '–')}</Td>
      <Td dataLabel={say('column.state')}>
        <StateLabel state={state}>{say(`state.${state}`)}</StateLabel>
        {told !== undefined && told !== '' && (
          <div className="fw-quiet">
            <ServerText text={told} />
          </div>
        )}
      </Td>
      <Td dataLabel={say('column.expires')}>
        {expiresAt === undefined ? (
          <span className="fw-quiet">{say('never')}</span>
        ) : (
          <When at={expiresAt} tense="either" />
        )}
      </Td>
      <Td dataLabel={say('column.used')}>
        {used === undefined && <NotKnown />}
        {used?.length === 0 && <span className="fw-quiet">{say('unused')}</span>}
        <ul className="fw-plain">
          {used?.map(({ metadata }) => (
            <li key={metadata.uid}>
              <Link href={`/clusters/${namespace}/${metadata.name}`}>{metadata.name}</Link>
            </li>
          ))}
        </ul>
      </Td>
      <Td>
        {used !== undefined && used.length > 0 && successors.length > 0 && (
          <FormSelect
            aria-label={say('switch.label', { name })}
            value=""
            onChange={(_event, next) => next !== '' && onAction(switching(credential, used, next, say))}
          >
            <FormSelectOption value="" label={say('switch.choose')} isPlaceholder />
            {successors.map(({ metadata }) => (
              <FormSelectOption key={metadata.uid} value={metadata.name} label={metadata.name ?? ''} />
            ))}
          </FormSelect>
        )}
        {used !== undefined && used.length > 0 && successors.length === 0 && (
          <span className="fw-quiet">{say('delete.used')}</span>
        )}
        {used?.length === 0 && deletionTimestamp === undefined && (
          <Button
            variant="link"
            isInline
            isDanger
            aria-label={say('delete.do', { name })}
            onClick={() => onAction(deleting(credential, say))}
          >
            {say('delete')}
          </Button>
        )}
      </Td>
    </Tr>
  );
}
