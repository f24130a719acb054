import { randomUUID } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import { Nodes, Pods, Secrets, ServiceAccounts } from '@fairway/kube/kinds/resources';
import { unauthorized } from '@fairway/kube/object/api-error';
import type { KubeObject, ResourceType } from '@fairway/kube/object/meta';
import type { ServiceAccountKeys, ServiceAccountVerificationKey } from '@fairway/kube/pki/service-account-keys';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { AuthenticatedToken, TokenAuthenticator } from './token-authenticator.ts';
import type { UserInfo } from './user.ts';
import { CREDENTIAL_ID, serviceAccountGroups, serviceAccountUsername } from './well-known-users.ts';

/**
 * Tokens bound to an object that is being deleted stay valid for this long, because their pods may still be shutting
 * down (go-jose's leeway).
 */
const DELETION_LEEWAY_MS = 60_000;

export interface ObjectIdentity {
  readonly name: string;
  readonly uid: string;
}

/** A token's account, and the object that the token is bound to. */
export interface ServiceAccountTokenSubject {
  readonly namespace: string;
  readonly serviceAccount: ObjectIdentity;
  readonly pod?: ObjectIdentity | undefined;
  readonly secret?: ObjectIdentity | undefined;
  /** The node that a pod's token refers to; for a token without a pod, the node that the token is bound to. */
  readonly node?: ObjectIdentity | undefined;
}

export interface ServiceAccountIssuer {
  /** `iss`: the URL whose `/.well-known/openid-configuration` points to the keys. */
  readonly issuer: string;
  readonly keys: ServiceAccountKeys;
  readonly clock: Clock;
}

/** A JWT in the form that kube-apiserver issues. */
export async function signServiceAccountToken(
  { issuer, keys, clock }: ServiceAccountIssuer,
  subject: ServiceAccountTokenSubject,
  audiences: readonly string[],
  expirationSeconds: number,
): Promise<string> {
  const nowSeconds = Math.floor(clock.now() / 1000);
  const { namespace, serviceAccount: serviceaccount, pod, secret, node } = subject;
  const claims = { namespace, serviceaccount, ...(pod && { pod }), ...(secret && { secret }), ...(node && { node }) };
  return await new SignJWT({ 'kubernetes.io': claims })
    .setProtectedHeader({ alg: keys.signing.algorithm, kid: keys.signing.keyId })
    .setIssuer(issuer)
    .setSubject(serviceAccountUsername(namespace, serviceaccount.name))
    .setAudience([...audiences])
    .setIssuedAt(nowSeconds)
    .setNotBefore(nowSeconds)
    .setExpirationTime(nowSeconds + expirationSeconds)
    .setJti(randomUUID())
    .sign(keys.signing.privateKey);
}

const Identity = z.object({ name: z.string().min(1), uid: z.string().min(1) });

const Claims = z.object({
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string())]).transform((aud) => (typeof aud === 'string' ? [aud] : aud)),
  jti: z.string().optional(),
  'kubernetes.io': z.object({
    namespace: z.string().min(1),
    serviceaccount: Identity,
    pod: Identity.optional(),
    secret: Identity.optional(),
    node: Identity.optional(),
  }),
});
type Claims = z.infer<typeof Claims>;

/** Accepts JWTs from this cluster's issuer for as long as the account and the bound object exist with the same UID. */
export function createServiceAccountAuthenticator(
  reader: ObjectReader,
  { issuer, keys, clock }: ServiceAccountIssuer,
): TokenAuthenticator {
  return {
    async authenticateToken(token, audiences) {
      if (issuerOf(token) !== issuer) return undefined;
      const claims = await verify(token, candidates(token, keys), issuer, clock.now());
      const matchingAudiences = claims.aud.filter((audience) => audiences.includes(audience));
      if (matchingAudiences.length === 0) throw unauthorized();
      confirmStillExists(reader, claims, clock.now());
      return { user: userOf(claims), audiences: matchingAudiences } satisfies AuthenticatedToken;
    },
  };
}

/** The unverified `iss`; it only decides whether the token is verified here. */
function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** The key specified in the header; all keys if none is specified. Throws 401 for an invalid header. */
function candidates(token: string, keys: ServiceAccountKeys): readonly ServiceAccountVerificationKey[] {
  const { kid } = headerOf(token);
  return kid === undefined ? keys.verification : keys.verification.filter((key) => key.keyId === kid);
}

function headerOf(token: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(token);
  } catch {
    throw unauthorized();
  }
}

async function verify(
  token: string,
  keys: readonly ServiceAccountVerificationKey[],
  issuer: string,
  nowMs: number,
): Promise<Claims> {
  for (const { publicKey, algorithm } of keys) {
    try {
      const { payload } = await jwtVerify(token, publicKey, {
        algorithms: [algorithm],
        issuer,
        currentDate: new Date(nowMs),
        requiredClaims: ['exp', 'sub', 'aud'],
      });
      const claims = Claims.parse(payload);
      const { namespace, serviceaccount } = claims['kubernetes.io'];
      if (claims.sub !== serviceAccountUsername(namespace, serviceaccount.name)) throw unauthorized();
      return claims;
    } catch (error) {
      // After a mismatch, another key may still match; any other error is final.
      const isOtherKey =
        error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JOSEAlgNotAllowed;
      if (!isOtherKey) throw unauthorized();
    }
  }
  throw unauthorized();
}

function confirmStillExists(reader: ObjectReader, claims: Claims, nowMs: number): void {
  const { namespace, serviceaccount, pod, secret, node } = claims['kubernetes.io'];
  const exists = (type: ResourceType, namespace: string, { name, uid }: ObjectIdentity) => {
    const object = reader.get(type, namespace, name);
    return object?.metadata.uid === uid && !isLongDeleted(object, nowMs);
  };
  if (!exists(ServiceAccounts, namespace, serviceaccount)) throw unauthorized();
  if (secret !== undefined && !exists(Secrets, namespace, secret)) throw unauthorized();
  if (pod !== undefined && !exists(Pods, namespace, pod)) throw unauthorized();
  // A pod's token only mentions its node; without a pod, the token is bound to the node.
  if (node !== undefined && pod === undefined && !exists(Nodes, '', node)) throw unauthorized();
}

function isLongDeleted(object: KubeObject, nowMs: number): boolean {
  const { deletionTimestamp } = object.metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < nowMs - DELETION_LEEWAY_MS;
}

function userOf(claims: Claims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
  const extra: Record<string, string[]> = {};
  if (claims.jti !== undefined) extra[CREDENTIAL_ID] = [`JTI=${claims.jti}`];
  if (pod !== undefined) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name];
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  }
  if (node !== undefined) {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  return {
    username: serviceAccountUsername(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: serviceAccountGroups(namespace),
    extra,
  };
}
