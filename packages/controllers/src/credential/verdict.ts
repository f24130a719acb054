import { ConditionReason } from '@fairway/api/conditions';
import type { CloudCredential, CloudCredentialStatus } from '@fairway/api/kinds/cloud-credential';
import { formatTime } from '@fairway/base/clock';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Token } from '@fairway/openstack/types/identity';
import { cloudProblemOf } from '@fairway/tenancy/cloud/cloud-problem';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { isExpired, renewalAdvice } from './expiry.ts';

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
  credential: CloudCredential,
  cloud: ProjectCloud | undefined,
  expiries: KnownExpiries,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<Verdict> {
  const { spec, status } = credential;
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
    const message = endOf(credential, error, nowMs) ?? problem.message;
    return { condition: { status: 'False', reason: problem.reason, message } };
  }
}

/** How a credential that has worked came to be refused by Keystone; undefined for any other failure. */
function endOf({ spec, status }: CloudCredential, error: unknown, nowMs: number): string | undefined {
  // A refusal without a status is Fairway's own: the Secret is of no use.
  if (!isOpenStackError(error) || error.status === undefined || status?.credentialID === undefined) return undefined;
  const advice = renewalAdvice(spec);
  const isTrust = status.type === 'Trust';
  if (error.kind === 'unauthorized') {
    if (isExpired(status.expiresAt, nowMs)) return `it expired at ${status.expiresAt}; ${advice}`;
    // Keystone answers 404 for what is gone, and 401 for all the rest.
    if (error.status === 404) {
      const what = isTrust ? 'trust' : 'application credential';
      return `it was revoked: Keystone has no ${what} ${status.credentialID} any more; ${advice}`;
    }
    return `Keystone refuses it now: its user is disabled or has lost the roles in the project, or the Secret has a wrong one; ${advice}`;
  }
  if (error.kind !== 'forbidden' || !isTrust) return undefined;
  const roles = status.roles?.join(', ') ?? '';
  return `Keystone refuses the trust now: who made it has lost one of its roles (${roles}) in the project; have the role assigned again, or ${advice}`;
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
