import type { KeystoneTokens } from '@fairway/identity/keystone-tokens';
import { KeystoneUnavailableError } from '@fairway/identity/keystone-unavailable-error';
import type { ProjectNamespaces } from '@fairway/identity/project-namespaces';
import { userInfoOf } from '@fairway/identity/user-info';
import { MagnumError } from './http/magnum-error.ts';
import type { Identify } from './services.ts';

/** The group of authenticated users, as in Fairway's API. */
const AUTHENTICATED_GROUP = 'system:authenticated';

/** Identifies Keystone users; creates the namespaces of their projects on first use. */
export function identifyByKeystone(
  tokens: Pick<KeystoneTokens, 'authenticate'>,
  namespaces: Pick<ProjectNamespaces, 'of'>,
): Identify {
  return async (token, peer) => {
    const user = await tokens.authenticate(token, peer).catch((error: unknown) => {
      throw error instanceof KeystoneUnavailableError ? unavailable(error) : error;
    });
    if (user === undefined) return undefined;
    const { project, userId, roles } = user;
    if (project === undefined) {
      throw new MagnumError(
        403,
        'The token is not scoped to a project: set OS_PROJECT_NAME, or project_name in clouds.yaml, and log in again.',
      );
    }
    const namespace = await namespaces.of(user);
    if (namespace === undefined) {
      throw new MagnumError(
        403,
        `Your roles (${roles.join(', ')}) give no access to Fairway in project ${project.name}.`,
      );
    }
    const info = userInfoOf(user, namespace);
    return { user: { ...info, groups: [...info.groups, AUTHENTICATED_GROUP] }, userId, project, namespace, roles };
  };
}

function unavailable(error: KeystoneUnavailableError): MagnumError {
  return new MagnumError(503, 'Keystone cannot validate your token at the moment: try again later.', {
    cause: error,
    retryAfterSeconds: error.retryAfterSeconds,
  });
}
