import { ApiError, forbidden, unauthorized } from '@fairway/kube/object/api-error';
import { FactorsRequiredError } from '@fairway/openstack/auth/factors-required-error';
import type { IssuedToken } from '@fairway/openstack/auth/token-source';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { KeystoneSignIn } from '@fairway/openstack/sign-in/keystone-sign-in';
import { credentialOf, type SignInRequest } from './sign-in-request.ts';

/**
 * A token scoped to a project: the last one used, the user's default, or the first available. Throws ApiErrors: 401 if Keystone
 * refuses, with the reason `PasscodeRequired` if it requires a second factor.
 */
export async function signInAtKeystone(
  signInService: KeystoneSignIn,
  request: Extract<SignInRequest, { kind: 'password' | 'applicationCredential' }>,
): Promise<IssuedToken> {
  const projectID = request.kind === 'password' ? request.project : undefined;
  const issued = await signInService
    .signIn(credentialOf(request, projectID))
    .catch((error: unknown) => {
      // The project, or the user's role in it, may no longer exist.
      if (
        projectID !== undefined &&
        isOpenStackError(error, 'unauthorized') &&
        !(error instanceof FactorsRequiredError)
      ) {
        return signInService.signIn(credentialOf(request, undefined));
      }
      throw error;
    })
    .catch(toApiError);
  if (issued.token.project !== undefined) return issued;
  return scopeToAnyProject(signInService, issued.id, undefined);
}

/**
 * Exchanges an unscoped token for a token scoped to the requested project if the user has a role there, otherwise to
 * the first available project. Throws 403 if the user has no project.
 */
export async function scopeToAnyProject(
  signInService: KeystoneSignIn,
  unscopedToken: string,
  projectID: string | undefined,
): Promise<IssuedToken> {
  const projects = await signInService.projects(unscopedToken).catch(toApiError);
  const [first] = [...projects].sort((a, b) => a.name.localeCompare(b.name));
  const chosen = projects.find(({ id }) => id === projectID) ?? first;
  if (chosen === undefined) throw forbidden({}, 'you have no role in any project: ask the cloud operator for one');
  return scopeToProject(signInService, unscopedToken, chosen.id);
}

/** A token for another project of the same user. */
export function scopeToProject(signInService: KeystoneSignIn, token: string, id: string): Promise<IssuedToken> {
  const scope = { kind: 'project', project: { id } } as const;
  return signInService.signIn({ kind: 'token', token, scope }).catch(toApiError);
}

/** Maps Keystone's error during a sign-in to one that does not reveal which users exist. */
export function toApiError(error: unknown): never {
  if (error instanceof FactorsRequiredError) {
    const wantsPasscode = error.missing.some((set) => set.length === 1 && set[0] === 'totp');
    if (wantsPasscode) throw new PasscodeRequiredError();
    throw unauthorized(
      'this account uses a second factor that the console does not support: use an application credential',
    );
  }
  if (isOpenStackError(error, 'unauthorized') || isOpenStackError(error, 'forbidden')) {
    throw unauthorized('Keystone rejected these credentials');
  }
  if (isOpenStackError(error)) {
    const message = `Keystone is not available right now: ${error.kind}`;
    throw new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 5, cause: error });
  }
  throw error;
}

/** Maps the error for a session that may not delegate its permissions, or has already done so under the same name. */
export function toDelegationError(error: unknown): never {
  if (isOpenStackError(error, 'conflict')) {
    throw new ApiError(
      409,
      'AlreadyExists',
      'you already have an application credential with this name: use another name',
    );
  }
  if (isOpenStackError(error, 'forbidden')) {
    throw forbidden(
      {},
      'Keystone does not allow an application credential to create another: sign in with your password',
    );
  }
  return toApiError(error);
}

/** Thrown if the password was right and a passcode is also required. */
export class PasscodeRequiredError extends Error {
  override readonly name = 'PasscodeRequiredError';

  constructor() {
    super('this account has a second factor: also provide a one-time passcode');
  }
}
