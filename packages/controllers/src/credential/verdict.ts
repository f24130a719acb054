import { ConditionReason } from '@fairway/api/conditions';
import type { CloudCredential, CloudCredentialStatus } from '@fairway/api/kinds/cloud-credential';
import { formatTime } from '@fairway/base/clock';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Token } from '@fairway/openstack/types/identity';
import { cloudProblemOf } from '@fairway/tenancy/cloud/cloud-problem';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

/** Keystone's verdict on a credential. */
export interface Verdict {
  readonly condition: { readonly status: 'True' | 'False'; readonly reason: ConditionReason; readonly message: string };
  /** Undefined if Keystone could not be asked. */
  readonly known?: CloudCredentialStatus;
}

/** Expiry of credentials by their id in Keystone: read once, as it does not change; undefined for never. */
export type KnownExpiries = Map<string, string | undefined>;

/** Logs in again with the credential; `cloud` is undefined if the operator has not configured it. */
export async function judge(
  { spec, status }: CloudCredential,
  cloud: ProjectCloud | undefined,
  expiries: KnownExpiries,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<Verdict> {
  if (cloud === undefined) {
    const message = `spec.cloud: the operator's clouds.yaml has no cloud ${spec.cloud}`;
    return { condition: { status: 'False', reason: ConditionReason.ConfigurationInvalid, message } };
  }
  try {
    const { token } = await cloud.client.session.renew();
    signal.throwIfAborted();
    const known = await describeCredential(cloud.client, token, { expiries, lastKnown: status?.expiresAt, signal });
    return { condition: { status: 'True', reason: ConditionReason.AsExpected, message: '' }, known };
  } catch (error) {
    const problem = cloudProblemOf(error, nowMs);
    if (problem === undefined) throw error;
    return { condition: { status: 'False', reason: problem.reason, message: problem.message } };
  }
}

interface Expiries {
  readonly expiries: KnownExpiries;
  readonly lastKnown: string | undefined;
  readonly signal: AbortSignal;
}

async function describeCredential(
  client: OpenStackClient,
  token: Token,
  { expiries, lastKnown, signal }: Expiries,
): Promise<CloudCredentialStatus> {
  const trustId = token['OS-TRUST:trust']?.id;
  const credentialID = trustId ?? token.application_credential?.id;
  if (credentialID !== undefined && !expiries.has(credentialID)) {
    // It is for people: a cloud that does not tell now is asked again the next time, and nothing else follows.
    await expiryOf(client, trustId, credentialID, { signal }).then(
      (expiresAt) => expiries.set(credentialID, expiresAt),
      () => undefined,
    );
  }
  const expiry = credentialID !== undefined && expiries.has(credentialID) ? expiries.get(credentialID) : lastKnown;
  return {
    type: trustId === undefined ? 'ApplicationCredential' : 'Trust',
    ...(credentialID !== undefined && { credentialID }),
    ...(token.project && { projectID: token.project.id, projectName: token.project.name }),
    userName: token.user.name,
    roles: token.roles.map((role) => role.name).sort(),
    ...(expiry && { expiresAt: expiry }),
  };
}

async function expiryOf({ identity }: OpenStackClient, trustId: string | undefined, id: string, options: CallOptions) {
  const expiresAt =
    trustId === undefined
      ? (await identity.applicationCredentials(options)).find((each) => each.id === id)?.expires_at
      : (await identity.trust(trustId, options)).expires_at;
  // Keystone writes UTC without saying so.
  return expiresAt == null ? undefined : formatTime(Date.parse(expiresAt.replace(/Z?$/, 'Z')));
}
