import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { cloudCredentials, clusters } from '../../api/resources.ts';
import { change, remove } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { Say } from '../../text/use-text.ts';
import type { ownCredentialsTexts } from './texts.ts';

type SayOwn = Say<(typeof ownCredentialsTexts)['en']>;

/** Has clusters go on with another credential. Done again after a failure, it goes on with those that are left. */
export function switching(
  { metadata: { name = '', namespace = '' } }: CloudCredential,
  used: readonly Cluster[],
  next: string,
  say: SayOwn,
): Action {
  const patch = { spec: { credentialName: next } };
  const names = used.map(({ metadata }) => metadata.name ?? '');
  return {
    title: say('switch.title', { name, next }),
    body: say('switch.body', { clusters: names.join(', ') }),
    button: say('switch.button', { next }),
    command: names
      .map((each) => `kubectl -n ${namespace} patch cluster ${each} --type merge -p '${JSON.stringify(patch)}'`)
      .join('\n'),
    async run() {
      for (const { metadata } of used) {
        await change(clusters, { metadata }, patch);
      }
    },
  };
}

/** Deletes it; refused by the API while a cluster uses it. */
export function deleting(credential: CloudCredential, say: SayOwn): Action {
  const { name = '', namespace = '' } = credential.metadata;
  const { reclaimPolicy } = credential.spec;
  const { type, credentialID = name } = credential.status ?? {};
  const kind = type === 'Trust' ? 'trust' : 'application credential';
  return {
    title: say('delete.title', { name }),
    body: say(`delete.body.${reclaimPolicy}`, { command: `openstack ${kind} delete ${credentialID}` }),
    button: say('delete.button'),
    command: `kubectl -n ${namespace} delete cloudcredential ${name}`,
    danger: { kind: 'final', name },
    run: () => remove(cloudCredentials, credential),
  };
}
