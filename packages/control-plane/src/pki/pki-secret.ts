import { CLUSTER_LABEL, CLUSTER_UID_LABEL, SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { loadCertificateAuthority } from '@fairway/kube/pki/certificate-authority';
import { publicKeyToPem } from '@fairway/kube/pki/key-pair';
import { pemBlocks, pemOf } from '@fairway/kube/pki/pem';
import { loadServiceAccountKeys } from '@fairway/kube/pki/service-account-keys';
import type { ClusterIdentity } from '../runtime.ts';
import type { AuthorityPair, ClusterPki } from './cluster-pki.ts';
import { parseRotationRecord } from './rotation-record.ts';

/** Type of the Secret that contains a cluster's certificate authorities and keys. */
export const PKI_SECRET_TYPE = 'fairway.dev/cluster-pki';

/** Thrown if a Secret does not contain what its type requires, for example after a manual edit. */
export class PkiSecretError extends Error {
  override readonly name = 'PkiSecretError';
}

export function pkiSecretName(clusterUid: string): string {
  return `cluster-${clusterUid}-pki`;
}

/**
 * The Secret with a cluster's certificate authorities and keys: `ca.crt`, `ca.key`, `front-proxy-ca.crt`,
 * `front-proxy-ca.key` and `sa.key` as in kubeadm, and `users-ca.crt` with its key; during a rotation also
 * `ca-standby.crt` and so on, and `sa-next.key`; `sa-former.pub` contains keys that verify tokens but sign none.
 * `rotation.json` contains the stage of the rotation.
 */
export async function pkiSecret({ uid, name, namespace }: ClusterIdentity, pki: ClusterPki): Promise<Secret> {
  const { signing, verification } = pki.serviceAccountKeys;
  const formerKeys = verification.filter(({ keyId }) => keyId !== signing.keyId);
  const former = (await Promise.all(formerKeys.map(({ publicKey }) => publicKeyToPem(publicKey)))).join('');
  const data = {
    ...authorityData('ca', pki.cluster),
    ...(hasUsersAuthority(pki) && authorityData('users-ca', pki.users)),
    ...authorityData('front-proxy-ca', pki.frontProxy),
    'bootstrap-token.key': pki.bootstrapTokenKey,
    'rotation.json': JSON.stringify(pki.rotation),
    ...(pki.nextServiceAccountKey !== undefined && { 'sa-next.key': pki.nextServiceAccountKey }),
    'sa.key': signing.privateKeyPem,
    ...(former !== '' && { 'sa-former.pub': former }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: pkiSecretName(uid),
      namespace: SYSTEM_NAMESPACE,
      labels: { [CLUSTER_UID_LABEL]: uid },
      annotations: { [CLUSTER_LABEL]: `${namespace}/${name}` },
    },
    type: PKI_SECRET_TYPE,
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, toBase64(text)])),
  };
}

/** Parses the certificate authorities and keys from a Secret. Throws a PkiSecretError that names the invalid entry. */
export async function parsePkiSecret(secret: Secret): Promise<ClusterPki> {
  const formerKeys = optionalEntry(secret, 'sa-former.pub') ?? '';
  const publicKeys = pemBlocks(formerKeys)
    .filter(({ type }) => type === 'PUBLIC KEY')
    .map(pemOf);
  const cluster = await authorityPair(secret, 'ca');
  return {
    cluster,
    users: optionalEntry(secret, 'users-ca.crt') === undefined ? cluster : await authorityPair(secret, 'users-ca'),
    frontProxy: await authorityPair(secret, 'front-proxy-ca'),
    serviceAccountKeys: await loadServiceAccountKeys(entry(secret, 'sa.key'), publicKeys),
    nextServiceAccountKey: optionalEntry(secret, 'sa-next.key'),
    // Earlier releases derived tokens from the key of the cluster's CA.
    bootstrapTokenKey: optionalEntry(secret, 'bootstrap-token.key') ?? cluster.active.privateKeyPem,
    rotation: rotationOf(secret),
  };
}

/** False for clusters created by earlier releases. */
export function hasUsersAuthority({ users, cluster }: Pick<ClusterPki, 'users' | 'cluster'>): boolean {
  return users.active.keyId !== cluster.active.keyId;
}

function rotationOf(secret: Secret) {
  try {
    return parseRotationRecord(optionalEntry(secret, 'rotation.json'));
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new PkiSecretError(`${describe(secret)}: rotation.json: ${detail}`, { cause: error });
  }
}

function authorityData(name: string, { active, standby }: AuthorityPair): Record<string, string> {
  return {
    [`${name}.crt`]: active.certificatePem,
    [`${name}.key`]: active.privateKeyPem,
    ...(standby && {
      [`${name}-standby.crt`]: standby.certificatePem,
      [`${name}-standby.key`]: standby.privateKeyPem,
    }),
  };
}

async function authorityPair(secret: Secret, name: string): Promise<AuthorityPair> {
  const standby = optionalEntry(secret, `${name}-standby.crt`);
  return {
    active: await authority(secret, name, entry(secret, `${name}.crt`)),
    standby: standby === undefined ? undefined : await authority(secret, `${name}-standby`, standby),
  };
}

async function authority(secret: Secret, name: string, certificatePem: string) {
  try {
    return await loadCertificateAuthority(certificatePem, entry(secret, `${name}.key`));
  } catch (error) {
    if (error instanceof PkiSecretError) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    throw new PkiSecretError(`${describe(secret)}: ${name}.crt: ${detail}`, { cause: error });
  }
}

function entry(secret: Secret, key: string): string {
  const text = optionalEntry(secret, key);
  if (text === undefined) throw new PkiSecretError(`${describe(secret)}: ${key} is missing`);
  return text;
}

function optionalEntry(secret: Secret, key: string): string | undefined {
  const encoded = secret.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

function describe({ metadata }: Secret): string {
  return `secret ${metadata.namespace}/${metadata.name}`;
}

function toBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
