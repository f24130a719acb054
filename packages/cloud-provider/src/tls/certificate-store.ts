import type { KeySecret } from '@fairway/openstack/types/key-manager';
import {
  type CertificateOwner,
  certificateMark,
  certificateName,
  type SecretName,
  sourceOf,
} from '@fairway/tenancy/cloud/certificate-name';
import { certificatesOfCluster, hasKeyManager, type StoredCertificate } from '@fairway/tenancy/cloud/certificates';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { TlsCertificate } from './certificate.ts';
import { pkcs12Of } from './pkcs12.ts';

/** The owner of the certificates, and the project that stores them. */
export interface CertificateScope {
  readonly owner: CertificateOwner;
  readonly cloud: ProjectCloud;
  readonly signal: AbortSignal;
}

/** A Secret to be served, in its current state. */
export interface DesiredCertificate {
  readonly secret: SecretName;
  readonly certificate: TlsCertificate | { readonly problem: string };
}

/** Nobody else deletes stored certificates automatically, so an old list is acceptable. */
const MAX_AGE_MS = 600_000;

export interface StoredReference {
  /** Barbican reference; undefined for an invalid Secret for which no certificate was stored earlier. */
  readonly reference: string | undefined;
  /**
   * Whether the certificate is outdated: too many versions are stored to add another one before old ones are deleted.
   */
  readonly isStale: boolean;
}

/**
 * Limit on stored versions of a Secret, the served one and the desired one: frequent changes must not exhaust the
 * quota.
 */
const MAX_VERSIONS_PER_SECRET = 2;
/** Limit per owner, including Secrets that the owner referred to while its load balancer could not be changed. */
const MAX_CERTIFICATES_PER_OWNER = 60;

/**
 * Resolves with the Barbican references of the desired certificates, in the same order, and stores missing
 * certificates. Rejects with the cloud's error, with StillSettling while a create request may still take effect, or
 * with a ProblemError if too many of the owner's certificates are stored.
 *
 * A certificate is found by its name, which encodes the owner, the Secret and its content, and is part of the create
 * request. Other users of the project may use that name too, so only secrets created by Fairway's own user are served.
 */
export async function ensureCertificates(
  scope: CertificateScope,
  desired: readonly DesiredCertificate[],
): Promise<readonly StoredReference[]> {
  const userID = await scope.cloud.client.keyManager.userId();
  const stored = (await observeCertificates(scope)).filter(
    ({ secret: { creator_id: creator } }) => creator == null || creator === userID,
  );
  const references: StoredReference[] = [];
  let count = stored.length;
  for (const { secret, certificate } of desired) {
    const fromSource = stored.filter(({ source }) => source === sourceOf(secret));
    const last = fromSource.at(-1)?.secret.secret_ref;
    if ('problem' in certificate) {
      references.push({ reference: last, isStale: false });
      continue;
    }
    const found = fromSource.find(({ fingerprint }) => certificate.fingerprint.startsWith(fingerprint));
    if (found === undefined && fromSource.length >= MAX_VERSIONS_PER_SECRET) {
      references.push({ reference: last, isStale: true });
      continue;
    }
    if (found === undefined && count++ >= MAX_CERTIFICATES_PER_OWNER) throw tooManyCertificates();
    const { secret_ref: reference } = found?.secret ?? (await store(scope, userID, secret, certificate));
    references.push({ reference, isStale: false });
  }
  return references;
}

/** The error for an owner with too many certificates. The served version does not change. */
function tooManyCertificates(): ProblemError {
  const message = `${MAX_CERTIFICATES_PER_OWNER} certificates are stored for the load balancer, but it could not be updated to serve them: do not refer to further Secrets until the update succeeds`;
  return new ProblemError({ reason: 'ConfigurationInvalid', message });
}

/** Whether any certificate is stored for the owner. */
export async function hasCertificates(scope: CertificateScope): Promise<boolean> {
  return (await observeCertificates(scope)).length > 0;
}

/** Deletes all certificates stored for the owner, except for `used`. */
export async function removeCertificates(scope: CertificateScope, used: readonly string[]): Promise<void> {
  const { cloud, signal } = scope;
  const surplus = (await observeCertificates(scope)).filter(({ secret }) => !used.includes(secret.secret_ref));
  for (const { secret } of surplus) {
    const remove = () => cloud.client.keyManager.deleteSecret(secret.id, { signal });
    await cloud.remove(cloud.ledgers.keySecrets, secret.id, remove);
  }
}

/** All certificates stored for the owner, oldest first. */
async function observeCertificates({ cloud, owner }: CertificateScope): Promise<readonly StoredCertificate[]> {
  if (!(await hasKeyManager(cloud))) return [];
  const ledger = cloud.ledgers.keySecrets;
  const listed = await certificatesOfCluster(cloud, owner.clusterUid, cloud.reliableFromMs(ledger, MAX_AGE_MS));
  const { listedAtMs = 0 } = cloud.cache.keySecrets.snapshot();
  const own = listed.filter((each) => each.owner.kind === owner.kind && each.owner.uid === owner.uid);
  const state = ledger.observe(
    ledgerKey(owner),
    own.map(({ secret }) => secret),
    listedAtMs,
  );
  if (state.kind === 'settling') throw new StillSettlingError('certificate', state.untilMs);
  return state.items.flatMap((secret) => {
    const mark = certificateMark(secret);
    return mark ? [{ ...mark, secret }] : [];
  });
}

async function store(
  { cloud, owner, signal }: CertificateScope,
  userID: string,
  secret: SecretName,
  certificate: TlsCertificate,
): Promise<KeySecret> {
  const bundle = await pkcs12Of(certificate);
  const name = certificateName({ owner, fingerprint: certificate.fingerprint }, secret);
  const body = {
    name,
    payload: bundle.toString('base64'),
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  } as const;
  return cloud.make(
    cloud.ledgers.keySecrets,
    ledgerKey(owner),
    async () => {
      const reference = await cloud.client.keyManager.createSecret(body, { signal });
      const id = reference.split('/').at(-1) ?? '';
      return { id, secret_ref: reference, name, status: 'ACTIVE', creator_id: userID };
    },
    owner.clusterUid,
  );
}

function ledgerKey({ clusterUid, kind, uid }: CertificateOwner): string {
  return `${clusterUid}/${kind}/${uid}`;
}
