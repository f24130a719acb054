import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { Button } from '@patternfly/react-core/dist/esm/components/Button';
import { FormSelect, FormSelectOption } from '@patternfly/react-core/dist/esm/components/FormSelect';
import { Td, Tr } from '@patternfly/react-table/dist/esm/components/Table';
import { Link } from 'wouter';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import { UnknownNotice } from '../../app/outdated-notice.tsx';
import { StateLabel } from '../../app/state-label.tsx';
import { plainName } from '../../text/plain.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { ServerText } from '../../text/server-text.tsx';
import { useText } from '../../text/use-text.ts';
import { readyOf } from '../operator/ready-state.ts';
import { deleteAction, switchAction } from './actions.ts';
import { ownCredentialsTexts } from './texts.ts';

export interface CredentialRowProps {
  readonly credential: CloudCredential;
  /** Undefined while unknown. */
  readonly usingClusters: readonly Cluster[] | undefined;
  readonly successors: readonly CloudCredential[];
  readonly onAction: (action: Action) => void;
}

export function CredentialRow({ credential, usingClusters, successors, onAction }: CredentialRowProps) {
  const t = useText(ownCredentialsTexts);
  const { name = '', namespace = '', deletionTimestamp } = credential.metadata;
  const { userName, type, expiresAt, conditions = [] } = credential.status ?? {};
  const { state, message } = readyOf(credential);
  const expiryNote = conditions.find((each) => each.type === 'ExpiresSoon' && each.status === 'True')?.message;
  const note = state === 'ready' ? expiryNote : message;
  return (
    <Tr>
      <Td dataLabel={t('column.name')}>
        <span className="fw-name">{name}</span>
        <div className="fw-quiet">{plainName([credential.spec.cloud, type].filter(Boolean).join(' · '))}</div>
      </Td>
      <Td dataLabel={t('column.user')}>{plainName(userName ?? '–')}</Td>
      <Td dataLabel={t('column.state')}>
        <StateLabel state={state}>{t(`state.${state}`)}</StateLabel>
        {note !== undefined && note !== '' && (
          <div className="fw-quiet">
            <ServerText text={note} />
          </div>
        )}
      </Td>
      <Td dataLabel={t('column.expires')}>
        {expiresAt === undefined ? (
          <span className="fw-quiet">{t('never')}</span>
        ) : (
          <RelativeTime at={expiresAt} tense="either" />
        )}
      </Td>
      <Td dataLabel={t('column.used')}>
        {usingClusters === undefined && <UnknownNotice />}
        {usingClusters?.length === 0 && <span className="fw-quiet">{t('unused')}</span>}
        <ul className="fw-plain">
          {usingClusters?.map(({ metadata }) => (
            <li key={metadata.uid}>
              <Link href={`/clusters/${namespace}/${metadata.name}`}>{metadata.name}</Link>
            </li>
          ))}
        </ul>
      </Td>
      <Td>
        {usingClusters !== undefined && usingClusters.length > 0 && successors.length > 0 && (
          <FormSelect
            aria-label={t('switch.label', { name })}
            value=""
            onChange={(_event, next) => next !== '' && onAction(switchAction(credential, usingClusters, next, t))}
          >
            <FormSelectOption value="" label={t('switch.choose')} isPlaceholder />
            {successors.map(({ metadata }) => (
              <FormSelectOption key={metadata.uid} value={metadata.name} label={metadata.name ?? ''} />
            ))}
          </FormSelect>
        )}
        {usingClusters !== undefined && usingClusters.length > 0 && successors.length === 0 && (
          <span className="fw-quiet">{t('delete.used')}</span>
        )}
        {usingClusters?.length === 0 && deletionTimestamp === undefined && (
          <Button
            variant="link"
            isInline
            isDanger
            aria-label={t('delete.do', { name })}
            onClick={() => onAction(deleteAction(credential, t))}
          >
            {t('delete')}
          </Button>
        )}
      </Td>
    </Tr>
  );
}
