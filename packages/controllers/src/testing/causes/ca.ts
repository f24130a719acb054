import { REVOKE_KUBECONFIGS_ANNOTATION, ROTATE_CREDENTIALS_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { Secrets } from '@fairway/kube/kinds/resources';
import { createCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import type { TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS } from './cause.ts';

const YEAR_MS = 365 * 86_400_000;

/** Gives the cluster a CA with one year left, as if nine had passed; it is read again with the next request. */
async function ageCertificates(fairway: TestFairway): Promise<void> {
  const secrets = fairway.client.resource(Secrets);
  const [caSecret] = (await secrets.list({ namespace: SYSTEM_NAMESPACE })).items;
  const { certificatePem, privateKeyPem } = await createCertificateAuthority({
    commonName: 'kubernetes',
    clock: fairway.clock,
    validityMs: YEAR_MS,
  });
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const value = { data: { 'ca.crt': encode(certificatePem), 'ca.key': encode(privateKeyPem) } };
  await secrets.patch(caSecret?.metadata.name ?? '', { type: 'merge', value }, { namespace: SYSTEM_NAMESPACE });
  await fairway.patch(clusters, 'demo', { metadata: { annotations: { [REVOKE_KUBECONFIGS_ANNOTATION]: 'now' } } });
}

/** Reports about clusters' CAs. */
export const CA_CAUSES: readonly Cause[] = [
  {
    cause: 'The certificate authorities of a cluster expire soon',
    by: { from: 'a cluster', begin: ageCertificates, request: () => undefined },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'AuthorityExpiresSoon',
    reason: 'AuthorityExpiresSoon',
    message:
      'the cluster\'s certificate authorities expire at {time}, after which its nodes and all kubeconfigs no longer work: rotate them with "fairway cluster rotate-credentials demo"',
    event: {
      kind: 'Cluster',
      reason: 'AuthorityExpiresSoon',
      message:
        'the cluster\'s certificate authorities expire at {time}, after which its nodes and all kubeconfigs no longer work: rotate them with "fairway cluster rotate-credentials demo"',
    },
  },
  {
    cause: 'A rotation of certificate authorities is ready to be completed',
    by: {
      from: 'a cluster',
      begin: (fairway) =>
        fairway.patch(clusters, 'demo', { metadata: { annotations: { [ROTATE_CREDENTIALS_ANNOTATION]: 'monday' } } }),
      request: () => undefined,
    },
    afterMs: 30 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'CredentialsStable',
    reason: 'RotationPrepared',
    message:
      'all components trust both the old and the new certificate authorities: get new kubeconfigs, recreate tokens stored in Secrets, then complete the rotation with "fairway cluster rotate-credentials demo --phase complete" (annotation fairway.dev/complete-rotation with the value "monday")',
  },
];
