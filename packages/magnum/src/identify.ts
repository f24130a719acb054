import type { KeystoneTokens } from '@fairway/identity/keystone-tokens';
import { KeystoneUnavailableError } from '@fairway/identity/keystone-unavailable-error';
import type { ProjectNamespaces } from '@fairway/identity/project-namespaces';
import { userInfoOf } from '@fairway/identity/user-info';
import { MagnumError } from './http/magnum-error.ts';
import type { Identify } from './services.ts';

/** As whoever is authenticated at Fairway's API is. */
const AUTHENTICATED = 'system:authenticated';

/** Users of Keystone, whose projects get their namespaces on the way. */
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
        'The token is of no project: log in with one (OS_PROJECT_NAME, or project_name in clouds.yaml).',
      );
    }
    const namespace = await namespaces.of(user);
    if (namespace === undefined) {
      throw new MagnumError(403, `Project ${project.name} has no namespace here for your roles (${roles.join(', ')}).`);
    }
    const info = userInfoOf(user, namespace);
    return { user: { ...info, groups: [...info.groups, AUTHENTICATED] }, userId, project, namespace, roles };
  };
}

function unavailable(error: KeystoneUnavailableError): MagnumError {
  return new MagnumError(503, "Keystone can't be asked whose your token is: try again later.", {
    cause: error,
    retryAfterSeconds: error.retryAfterSeconds,
  });
}
