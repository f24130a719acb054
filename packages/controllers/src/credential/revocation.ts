import { SKIP_REVOCATION_ANNOTATION } from '@fairway/api/group';
import type { CloudCredentialStatus } from '@fairway/api/kinds/cloud-credential';
import type { KubeObject } from '@fairway/kube/object/meta';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';

/**
 * Ends, in Keystone, the credential that `client` logs in with. The token tells which one that is, so that the revoked credential
 * is the one in use, whatever the status says. Returns why it failed; undefined when the credential is revoked.
 *
 * Keystone lets the trustor delete a trust, and a token of a trust with impersonation acts as the trustor. A restricted
 * application credential cannot delete any, itself included. **Errors.** An {@link OpenStackError} that may pass is thrown.
 */
export async function revoke({ session, identity }: OpenStackClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { token } = await session.renew();
    signal.throwIfAborted();
    const trust = token['OS-TRUST:trust'];
    const credential = token.application_credential;
    if (trust) await ignoreNotFound(identity.deleteTrust(trust.id, { signal }));
    else if (credential) await ignoreNotFound(identity.deleteApplicationCredential(credential.id, { signal }));
    return undefined;
  } catch (error) {
    // Of a login that is how Keystone says that the trust is gone. From whatever else answers in its place it says nothing.
    if (isOpenStackError(error, 'notFound') && /\btrust\b/i.test(error.detail)) return undefined;
    // Keystone's own refusal of a login: it is revoked already. Ours, which has no status, says nothing about Keystone.
    if (isOpenStackError(error, 'unauthorized')) return error.status === undefined ? error.detail : undefined;
    if (isOpenStackError(error, 'forbidden')) return error.detail;
    throw error;
  }
}

/** Whether its owner wants it gone, whatever becomes of it in Keystone. */
export function isRevocationSkipped({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[SKIP_REVOCATION_ANNOTATION] !== undefined;
}

/** What the owner of a credential types to revoke it. */
export function revocationAdvice({ type, credentialID }: CloudCredentialStatus = {}): string {
  const kind = type === 'Trust' ? 'trust' : 'application credential';
  return `openstack ${kind} delete ${credentialID ?? '(its id)'}`;
}
