import type { CloudCredential } from '@fairway/api/kinds/cloud-credential';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { cloudCredentials, clusters } from '../../api/resources.ts';
import { change, remove } from '../../api/write.ts';
import type { Action } from '../../app/confirm/confirmed-action.tsx';
import type { Translate } from '../../text/use-text.ts';
import type { ownCredentialsTexts } from './texts.ts';

type TranslateCredentials = Translate<(typeof ownCredentialsTexts)['en']>;

/**
 * Switches clusters to a different credential. If this fails, a repeated call continues with the remaining clusters.
 */
export function switchAction(
  { metadata: { name = '', namespace = '' } }: CloudCredential,
  affectedClusters: readonly Cluster[],
  next: string,
  t: TranslateCredentials,
): Action {
  const patch = { spec: { credentialName: next } };
  const names = affectedClusters.map(({ metadata }) => metadata.name ?? '');
  return {
    title: t('switch.title', { name, next }),
    body: t('switch.body', { clusters: names.join(', ') }),
    button: t('switch.button', { next }),
    command: names
      .map((each) => `kubectl -n ${namespace} patch cluster ${each} --type merge -p '${JSON.stringify(patch)}'`)
      .join('\n'),
    async run() {
      for (const { metadata } of affectedClusters) {
        await change(clusters, { metadata }, patch);
      }
    },
  };
}

/** Deletes the credential; the API rejects this while a cluster uses the credential. */
export function deleteAction(credential: CloudCredential, t: TranslateCredentials): Action {
  const { name = '', namespace = '' } = credential.metadata;
  const { reclaimPolicy } = credential.spec;
  const { type, credentialID = name } = credential.status ?? {};
  const kind = type === 'Trust' ? 'trust' : 'application credential';
  return {
    title: t('delete.title', { name }),
    body: t(`delete.body.${reclaimPolicy}`, { command: `openstack ${kind} delete ${credentialID}` }),
    button: t('delete.button'),
    command: `kubectl -n ${namespace} delete cloudcredential ${name}`,
    danger: { kind: 'final', name },
    run: () => remove(cloudCredentials, credential),
  };
}
