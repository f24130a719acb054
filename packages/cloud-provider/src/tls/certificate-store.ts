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
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { TlsCertificate } from './certificate.ts';
import { pkcs12Of } from './pkcs12.ts';

/** The owner of the certificates, and the project that stores them. */
export interface CertificateScope {
  readonly owner: CertificateOwner;
  readonly cloud: ProjectCloud;
  readonly signal: AbortSignal;
}

/** The current state of a Secret to be served. */
export interface WantedCertificate {
  readonly secret: SecretName;
  readonly certificate: TlsCertificate | { readonly problem: string };
}

/** They are deleted only manually. */
const MAX_AGE_MS = 600_000;

export interface StoredReference {
  /** Barbican reference; undefined for an invalid Secret without an earlier certificate. */
  readonly reference: string | undefined;
  /** It is outdated: too many versions are stored to add another before old ones are deleted. */
  readonly isBehind: boolean;
}

/** The served and the desired version of a Secret: frequent changes must not exhaust the quota. */
const MAX_OF_SOURCE = 2;
/** Limit per owner, including Secrets that it referred to while its load balancer could not be changed. */
const MAX_OF_OWNER = 60;

/**
 * What is wanted as it is in Barbican, in its order. What is missing is made. Rejects with what the cloud answers, with StillSettling while a create may still
 * take effect, and with a ProblemError where too many of the owner's are stored.
 *
 * A certificate is found by its name, which tells owner, Secret and content and is part of the call that makes it. Others in the project may give a secret that
 * name, but not the user who made it: only what Fairway's own user has made is served.
 */
export async function ensureCertificates(
  scope: CertificateScope,
  wanted: readonly WantedCertificate[],
): Promise<readonly StoredReference[]> {
  const userID = await scope.cloud.client.keyManager.userId();
  const stored = (await seeCertificates(scope)).filter(
    ({ secret: { creator_id: creator } }) => creator == null || creator === userID,
  );
  const references: StoredReference[] = [];
  let count = stored.length;
  for (const { secret, certificate } of wanted) {
    const ofSource = stored.filter(({ source }) => source === sourceOf(secret));
    const last = ofSource.at(-1)?.secret.secret_ref;
    if ('problem' in certificate) {
      references.push({ reference: last, isBehind: false });
      continue;
    }
    const found = ofSource.find(({ fingerprint }) => certificate.fingerprint.startsWith(fingerprint));
    if (found === undefined && ofSource.length >= MAX_OF_SOURCE) {
      references.push({ reference: last, isBehind: true });
      continue;
    }
    if (found === undefined && count++ >= MAX_OF_OWNER) throw tooMany();
    const { secret_ref: reference } = found?.secret ?? (await store(scope, userID, secret, certificate));
    references.push({ reference, isBehind: false });
  }
  return references;
}

/** What is served does not change. */
function tooMany(): ProblemError {
  const message = `${MAX_OF_OWNER} certificates are stored for the load balancer, but it could not be updated to serve them: do not refer to further Secrets until the update succeeds`;
  return new ProblemError({ reason: 'ConfigurationInvalid', message });
}

/** Whether any certificate is stored for the owner. */
export async function hasCertificates(scope: CertificateScope): Promise<boolean> {
  return (await seeCertificates(scope)).length > 0;
}

/** Deletes what is stored for the owner, except for `used`. */
export async function removeCertificates(scope: CertificateScope, used: readonly string[]): Promise<void> {
  const { cloud, signal } = scope;
  const surplus = (await seeCertificates(scope)).filter(({ secret }) => !used.includes(secret.secret_ref));
  for (const { secret } of surplus) {
    const remove = () => cloud.client.keyManager.deleteSecret(secret.id, { signal });
    await cloud.remove(cloud.ledgers.keySecrets, secret.id, remove);
  }
}

/** All certificates stored for the owner, oldest first. */
async function seeCertificates({ cloud, owner }: CertificateScope): Promise<readonly StoredCertificate[]> {
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
  if (state.kind === 'settling') throw new StillSettling('certificate', state.untilMs);
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
