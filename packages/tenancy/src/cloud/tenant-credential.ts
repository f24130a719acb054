import { CREDENTIAL_KEYS } from '@fairway/api/kinds/cloud-credential';
import type { Credential } from '@fairway/openstack/auth/credential';
import type { CredentialSource } from '@fairway/openstack/auth/credential-source';
import { OpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Token } from '@fairway/openstack/types/identity';

/** The project that a tenant's credential must be for. */
export interface ExpectedProject {
  readonly id: string;
  /** Where the expectation comes from, for messages. */
  readonly reason: string;
}

export interface TenantCredentialOptions {
  readonly namespace: string;
  /** The credential's name in messages: `credential team/mine`. */
  readonly name: string;
  /** `data` of the Secret, in base64; undefined if the Secret does not exist. */
  readonly secret: () => Promise<Readonly<Record<string, string>> | undefined>;
  /** The operator's own login in that cloud, the trustee of trusts. */
  readonly trustee: Credential;
  /** Undefined if nothing determines the project. */
  readonly expectedProject: () => ExpectedProject | undefined;
}

/** Read-only roles. */
const READER_ROLES = new Set(['reader', 'load-balancer_observer', 'load-balancer_global_observer', 'observer']);

/**
 * A tenant's own application credential or trust, read from its Secret at every login, so that a new one takes effect
 * immediately.
 *
 * Only its trustee can use a trust, and the operator's user is the trustee for all tenants: a tenant who knows the ID
 * of another tenant's trust must not gain access. So a trust is accepted only in a namespace for which the operator has
 * specified the project.
 */
export function tenantCredential(options: TenantCredentialOptions): CredentialSource {
  const { name, trustee, expectedProject } = options;
  return {
    // No project ID contains a slash.
    owner: `namespace/${options.namespace}`,
    async credential() {
      const data = await options.secret();
      if (data === undefined) throw refusal('unauthorized', `${name}: its Secret does not exist; recreate it`);
      const value = (key: string) =>
        Buffer.from(data[key] ?? '', 'base64')
          .toString('utf8')
          .trim();
      const id = value(CREDENTIAL_KEYS.applicationCredentialId);
      const secret = value(CREDENTIAL_KEYS.applicationCredentialSecret);
      if (id !== '' && secret !== '') return { kind: 'applicationCredential', id, secret };
      const trustId = value(CREDENTIAL_KEYS.trustId);
      if (trustId === '') {
        const { applicationCredentialId, applicationCredentialSecret } = CREDENTIAL_KEYS;
        const keys = `${applicationCredentialId} and ${applicationCredentialSecret}, or ${CREDENTIAL_KEYS.trustId}`;
        throw refusal('unauthorized', `${name}: its Secret must have the keys ${keys}`);
      }
      if (trustee.kind !== 'password') {
        throw refusal(
          'forbidden',
          `${name}: Fairway's own credential in this cloud is not a user with a password, so it cannot use trusts`,
        );
      }
      if (expectedProject() === undefined) {
        throw refusal(
          'forbidden',
          `${name}: to use a trust, the operator must set the annotation fairway.dev/project-id of the namespace`,
        );
      }
      return { ...trustee, scope: { kind: 'trust', trustId } };
    },
    accept({ project, roles }: Token) {
      const expected = expectedProject();
      if (project === undefined) throw refusal('unauthorized', `${name}: it is not scoped to a project`);
      if (expected !== undefined && expected.id !== project.id) {
        const problem = `it is for project ${project.name} (${project.id}), but ${expected.reason} is in ${expected.id}`;
        throw refusal('unauthorized', `${name}: ${problem}; create a credential in that project`);
      }
      if (roles.every((role) => READER_ROLES.has(role.name))) {
        const roleNames = roles.map((role) => role.name).join(', ') || 'none';
        throw refusal(
          'forbidden',
          `${name}: its roles (${roleNames}) only grant read access; it requires the role member`,
        );
      }
    },
  };
}

function refusal(kind: 'unauthorized' | 'forbidden', message: string): OpenStackError {
  return new OpenStackError({
    kind,
    service: 'identity',
    method: 'POST',
    template: '/v3/auth/tokens',
    message,
    outcome: 'notDone',
  });
}
