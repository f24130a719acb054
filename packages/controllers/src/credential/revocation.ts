import type { CloudCredentialStatus } from '@fairway/api/kinds/cloud-credential';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';

/**
 * Ends, in Keystone, the credential that `client` logs in with. Which one that is the token says, so that what is revoked is what could
 * be used, whatever was noted of it. Returns why it could not be done; undefined when the credential is worth nothing any more.
 *
 * Keystone takes the word of a trust's trustor, and who acts through a trust with impersonation is the trustor. A restricted
 * application credential may delete none, itself included. **Errors.** An {@link OpenStackError} that may pass is thrown.
 */
export async function revoke({ session, identity }: OpenStackClient): Promise<string | undefined> {
  try {
    const { token } = await session.renew();
    const trust = token['OS-TRUST:trust'];
    const credential = token.application_credential;
    if (trust) await identity.deleteTrust(trust.id);
    else if (credential) await identity.deleteApplicationCredential(credential.id);
    return undefined;
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return undefined;
    // Keystone's own refusal of a login: it is revoked already. Ours, which has no status, says nothing about Keystone.
    if (isOpenStackError(error, 'unauthorized')) return error.status === undefined ? error.detail : undefined;
    if (isOpenStackError(error, 'forbidden')) return error.detail;
    throw error;
  }
}

/** What the owner of a credential types to revoke it. */
export function revocationAdvice({ type, credentialID }: CloudCredentialStatus = {}): string {
  const kind = type === 'Trust' ? 'trust' : 'application credential';
  return `openstack ${kind} delete ${credentialID ?? '(its id)'}`;
}
