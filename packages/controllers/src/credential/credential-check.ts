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

/** The result of a login with a credential. */
export interface CredentialCheck {
  readonly condition: { readonly status: 'True' | 'False'; readonly reason: ConditionReason; readonly message: string };
  /** Undefined if Keystone could not be reached. */
  readonly known?: CloudCredentialStatus;
}

/**
 * Expiry of credentials by their ID in Keystone: read once, because it does not change; undefined if they never expire.
 */
export type KnownExpiries = Map<string, string | undefined>;

/** Logs in again with the credential; `cloud` is undefined if the operator has not configured it. */
export async function checkCredential(
  credential: CloudCredential,
  cloud: ProjectCloud | undefined,
  expiries: KnownExpiries,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<CredentialCheck> {
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

/** Why Keystone now rejects a credential that used to work; undefined for any other failure. */
function endOf({ spec, status }: CloudCredential, error: unknown, nowMs: number): string | undefined {
  // A rejection without a status comes from Fairway itself: the Secret is unusable.
  if (!isOpenStackError(error) || error.status === undefined || status?.credentialID === undefined) return undefined;
  const advice = renewalAdvice(spec);
  const isTrust = status.type === 'Trust';
  if (error.kind === 'unauthorized') {
    if (isExpired(status.expiresAt, nowMs)) return `it expired at ${status.expiresAt}; ${advice}`;
    // Keystone returns 404 for an object that no longer exists, and 401 for everything else.
    if (error.status === 404) {
      const what = isTrust ? 'trust' : 'application credential';
      return `it was revoked: Keystone no longer has ${what} ${status.credentialID}; ${advice}`;
    }
    return `Keystone now rejects it: its user is disabled or has lost their roles in the project, or the Secret holds a wrong credential; ${advice}`;
  }
  if (error.kind !== 'forbidden' || !isTrust) return undefined;
  const roles = status.roles?.join(', ') ?? '';
  return `Keystone now rejects the trust: its trustor has lost one of the delegated roles (${roles}) in the project; have the role assigned again, or ${advice}`;
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
    // For display only: if the cloud does not respond now, the next check tries again.
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
  // Keystone's times are UTC without a time zone.
  return expiresAt == null ? undefined : formatTime(Date.parse(expiresAt.replace(/Z?$/, 'Z')));
}
