import { ConditionReason } from '@fairway/api/conditions';
import { SKIP_REVOCATION_ANNOTATION } from '@fairway/api/group';
import type { CloudCredentialStatus } from '@fairway/api/kinds/cloud-credential';
import type { KubeObject } from '@fairway/kube/object/meta';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Token } from '@fairway/openstack/types/identity';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';

/**
 * Revokes, in Keystone, the credential that `client` logs in with. The token identifies it, so the revoked credential
 * is the one in use, regardless of the status. Returns why it failed; undefined once the credential is worthless.
 *
 * Keystone lets the trustor delete a trust, and a token of a trust with impersonation acts as the trustor. A restricted
 * application credential cannot delete any, including itself. **Errors.** Throws an {@link OpenStackError} or {@link
 * ProblemError} that may be transient.
 */
export async function revoke(
  { session, identity }: OpenStackClient,
  { hasExpired, signal }: { readonly hasExpired: boolean; readonly signal: AbortSignal },
): Promise<string | undefined> {
  let token: Token;
  try {
    ({ token } = await session.renew());
  } catch (error) {
    return loginRefusal(error, hasExpired);
  }
  signal.throwIfAborted();
  const trust = token['OS-TRUST:trust'];
  const credential = token.application_credential;
  try {
    if (trust) await identity.deleteTrust(trust.id, { signal });
    else if (credential) await identity.deleteApplicationCredential(credential.id, { signal });
    return undefined;
  } catch (error) {
    // The call logs in again after a 401.
    if (isOpenStackError(error) && error.method === 'POST') return loginRefusal(error, hasExpired);
    if (isOpenStackError(error, 'notFound') && isFromKeystone(error.detail)) return undefined;
    if (isOpenStackError(error, 'forbidden')) return error.detail;
    if (!isOpenStackError(error, 'unauthorized')) throw error;
    const message = `identity: Keystone issues a token for the credential, but rejects it: ${error.detail}`;
    throw new ProblemError({ reason: ConditionReason.CloudUnavailable, message });
  }
}

/**
 * Why it is not certain that a credential that cannot log in was deleted; undefined if it is certain. Rethrows
 * unrelated errors.
 */
function loginRefusal(error: unknown, hasExpired: boolean): string | undefined {
  // A 404 from something other than Keystone proves nothing.
  if (isOpenStackError(error, 'notFound') && /\btrust\b/i.test(error.detail)) return undefined;
  if (isOpenStackError(error, 'forbidden')) return error.detail;
  if (!isOpenStackError(error, 'unauthorized')) throw error;
  // Keystone returns 404 for deleted credentials. A 401 may mean a wrong secret or a disabled user: the credential may become valid again.
  return error.status === 404 || (error.status === 401 && hasExpired) ? undefined : error.detail;
}

/** Whether the object is missing in Keystone itself, rather than the path at a proxy. */
function isFromKeystone(detail: string): boolean {
  return /^could not find /i.test(detail);
}

/** Whether the credential's owner wants it deleted without revocation in Keystone. */
export function isRevocationSkipped({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[SKIP_REVOCATION_ANNOTATION] !== undefined;
}

/** The command that the owner of a credential can use to revoke it. */
export function revocationAdvice({ type, credentialID }: CloudCredentialStatus = {}): string {
  const kind = type === 'Trust' ? 'trust' : 'application credential';
  return `openstack ${kind} delete ${credentialID ?? '(its id)'}`;
}
