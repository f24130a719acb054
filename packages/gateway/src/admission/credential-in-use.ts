import { describeUsers } from '@fairway/api/domain/in-use';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import type { AdmissionRequest } from '@fairway/apiserver/server/admission';
import { forbidden } from '@fairway/kube/object/api-error';
import type { StoredFacts } from './stored-facts.ts';

/**
 * Refuses to delete a CloudCredential that clusters use: a deletion cannot be undone, and afterwards no other cluster
 * could reference the credential. Clusters that are themselves being deleted don't count; the credential's finalizer
 * waits for them.
 */
export async function validateCredentialDeletion(stored: StoredFacts, request: AdmissionRequest): Promise<void> {
  const { resource, operation, namespace, name, subresource } = request;
  if (resource.plural !== cloudCredentials.plural || operation !== 'DELETE' || subresource !== '') return;
  const users = (await stored.clusters(namespace)).filter(
    ({ spec, metadata }) => spec.credentialName === name && metadata.deletionTimestamp === undefined,
  );
  if (users.length === 0) return;
  const subject = { group: resource.group, resource: resource.plural, name };
  const advice = 'give them another credential of the same project (spec.credentialName), or delete them first';
  throw forbidden(subject, `${describeUsers(users)}: ${advice}; a deletion cannot be undone`);
}
