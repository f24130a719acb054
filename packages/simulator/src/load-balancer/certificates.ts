import { createPrivateKey, X509Certificate } from 'node:crypto';
import { ApiError } from '../http/api.ts';
import { pythonRepr } from '../http/parse-body.ts';
import { isUnexpired } from '../key-manager/lookup.ts';
import { bytesOf } from '../key-manager/payload.ts';
import type { KeyContainer, KeySecret } from '../key-manager/records.ts';
import type { World } from '../world.ts';
import { invalid } from './problem.ts';

/** A listener's or pool's references to objects in Barbican. */
export interface References {
  /** References to certificates with their keys, which are PKCS12 bundles in secrets or certificate containers. */
  readonly tls: readonly (string | null)[];
  /** References to secrets with CA certificates and revocation lists. */
  readonly ca: string | null;
  readonly crl: string | null;
}

/** The references that a change adds; existing references were checked earlier. */
export function newReferences(after: References, before: References): References {
  const tls = after.tls.filter((reference) => !before.tls.includes(reference));
  const isCaUnchanged = after.ca === before.ca && after.crl === before.crl;
  return isCaUnchanged ? { tls, ca: null, crl: null } : { ...after, tls };
}

/** Throws Octavia's 400 unless all references are readable in the project and valid. */
export function requireCertificates(world: World, projectId: string, { tls, ca, crl }: References): void {
  const bad = tls.filter((reference) => reference !== null && !isCertificate(world, projectId, reference));
  if (bad.length > 0) throw notRetrievedError(bad);
  const unread = [ca, crl].filter(
    (reference) => reference !== null && payloadOf(world, projectId, reference) === undefined,
  );
  if (unread.length > 0) throw notRetrievedError(unread);
  if (ca === null) return;
  const problem = certificateProblem(payloadOf(world, projectId, ca) ?? Buffer.alloc(0));
  if (problem === undefined) return;
  throw invalid(
    `The client authentication CA certificate is invalid. It must be a valid x509 PEM format certificate. Error: ${problem}`,
  );
}

function notRetrievedError(references: readonly (string | null)[]): ApiError {
  return new ApiError(400, `Could not retrieve certificate: ${pythonRepr(references)}`);
}

const REFERENCE = /\/v1\/(secrets|containers)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i;

function isCertificate(world: World, projectId: string, reference: string): boolean {
  const [, collection, id = ''] = REFERENCE.exec(reference) ?? [];
  if (collection === 'secrets') {
    const bytes = payloadOf(world, projectId, reference);
    if (bytes !== undefined && !isPkcs12(bytes)) throw unreadableContainer();
    return bytes !== undefined;
  }
  const container = world.tables.keyContainers.get(id);
  return container?.projectId === projectId && isKeyAndCertificate(world, container);
}

function isKeyAndCertificate({ tables }: World, { type, secrets }: KeyContainer): boolean {
  if (type !== 'certificate') return false;
  const part = (name: string): string | undefined => {
    const secretId = secrets.find((secret) => secret.name === name)?.secretId;
    return textOf(secretId === undefined ? undefined : tables.keySecrets.get(secretId));
  };
  const [certificate, key, passphrase] = [part('certificate'), part('private_key'), part('private_key_passphrase')];
  if (certificate === undefined || key === undefined) return false;
  try {
    const privateKey = createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
    return new X509Certificate(certificate).checkPrivateKey(privateKey);
  } catch {
    return false;
  }
}

function textOf(secret: KeySecret | undefined): string | undefined {
  return secret?.payload == null ? undefined : bytesOf(secret.payload).toString();
}

/**
 * The payload of a secret, which is empty if none is stored yet; undefined if the secret does not exist in the project.
 */
function payloadOf({ tables, clock }: World, projectId: string, reference: string): Buffer | undefined {
  const [, collection, id = ''] = REFERENCE.exec(reference) ?? [];
  const secret = collection === 'secrets' ? tables.keySecrets.get(id) : undefined;
  if (secret?.projectId !== projectId || !isUnexpired(secret, clock.now())) return undefined;
  return secret.payload === null ? Buffer.alloc(0) : bytesOf(secret.payload);
}

/** The beginning of a PFX: a sequence of any length whose first element is the version, 3 (RFC 7292). */
function isPkcs12(bytes: Buffer): boolean {
  const [tag, length = 0] = bytes;
  const header = length < 0x80 ? 2 : 2 + (length & 0x7f);
  return tag === 0x30 && bytes.subarray(header, header + 3).equals(Buffer.from([0x02, 0x01, 0x03]));
}

function unreadableContainer(): ApiError {
  return new ApiError(
    400,
    "The PKCS12 bundle is unreadable. Please check the PKCS12 bundle validity. In addition, make sure it does not require a pass phrase. Error: [('asn1 encoding routines', '', 'not enough data')]",
  );
}

function certificateProblem(bytes: Buffer): string | undefined {
  try {
    return new X509Certificate(bytes).raw.length > 0 ? undefined : 'empty';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
