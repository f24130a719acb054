import { listProjects, type ProjectReader } from '@fairway/identity/project-list';
import { mayValidate } from '@fairway/identity/validation-rights';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';

/** A permission needed to serve Keystone users, and whether a cloud's user has it. */
export interface KeystoneRight {
  readonly what: string;
  readonly allowed: 'yes' | 'no';
  /** Why the user lacks the permission, and the consequence. */
  readonly detail: string;
}

/** Permissions of the entry in `keystone.cloud`. Rejects if Keystone can't be reached. */
export async function observeKeystoneRights(
  { session, identity }: OpenStackClient,
  additionalReaders: readonly ProjectReader[],
  nowMs: number,
): Promise<readonly KeystoneRight[]> {
  const { token } = await session.token();
  const reportsRevocations = await mayReadRevocations(identity, nowMs);
  const projects = await listProjects([identity, ...additionalReaders]);
  return [
    right(
      'validate tokens',
      mayValidate(token),
      'its user needs the role service or admin; until then Keystone users get 503',
    ),
    right('receive revocation events', reportsRevocations, 'each token is validated about once a minute'),
    right('list projects', projects !== undefined, 'namespaces of deleted projects remain'),
  ];
}

function right(what: string, isAllowed: boolean, consequence: string): KeystoneRight {
  return { what, allowed: isAllowed ? 'yes' : 'no', detail: isAllowed ? '' : consequence };
}

async function mayReadRevocations(identity: OpenStackClient['identity'], nowMs: number): Promise<boolean> {
  try {
    await identity.revocationEvents(nowMs);
    return true;
  } catch (error) {
    if (isOpenStackError(error, 'forbidden') || isOpenStackError(error, 'notFound')) return false;
    throw error;
  }
}
