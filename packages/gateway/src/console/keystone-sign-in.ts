import { ApiError, forbidden, unauthorized } from '@fairway/kube/object/api-error';
import { FactorsRequiredError } from '@fairway/openstack/auth/factors-required-error';
import type { IssuedToken } from '@fairway/openstack/auth/token-source';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { KeystoneDoor } from '@fairway/openstack/sign-in/keystone-door';
import { credentialOf, type SignInRequest } from './sign-in-request.ts';

/**
 * A token of a project: of the one that was worked in last, of the user's default, or of the first that there is. Throws ApiErrors: 401 where Keystone refuses, with the reason
 * `PasscodeRequired` where it asks for a second factor.
 */
export async function signInAtKeystone(
  door: KeystoneDoor,
  request: Extract<SignInRequest, { kind: 'password' | 'applicationCredential' }>,
): Promise<IssuedToken> {
  const wanted = request.kind === 'password' ? request.project : undefined;
  const issued = await door
    .signIn(credentialOf(request, wanted))
    .catch((error: unknown) => {
      // It may be gone, or the user's role there.
      if (wanted !== undefined && isOpenStackError(error, 'unauthorized') && !(error instanceof FactorsRequiredError)) {
        return door.signIn(credentialOf(request, undefined));
      }
      throw error;
    })
    .catch(asApiError);
  if (issued.token.project !== undefined) return issued;
  return inSomeProject(door, issued.id, undefined);
}

/** A token of the project that is wanted, if the user has a role there, or of the first that there is, for an unscoped one. Throws 403 for who has none. */
export async function inSomeProject(
  door: KeystoneDoor,
  unscoped: string,
  wanted: string | undefined,
): Promise<IssuedToken> {
  const projects = await door.projects(unscoped).catch(asApiError);
  const [first] = [...projects].sort((a, b) => a.name.localeCompare(b.name));
  const chosen = projects.find(({ id }) => id === wanted) ?? first;
  if (chosen === undefined) throw forbidden({}, "you have no role in any project: ask the cloud's operator for one");
  return inProject(door, unscoped, chosen.id);
}

/** A token of another project for the same user. */
export function inProject(door: KeystoneDoor, token: string, id: string): Promise<IssuedToken> {
  const scope = { kind: 'project', project: { id } } as const;
  return door.signIn({ kind: 'token', token, scope }).catch(asApiError);
}

/** What Keystone says of one that is signing in, in words that tell nothing about who exists. */
export function asApiError(error: unknown): never {
  if (error instanceof FactorsRequiredError) {
    const wantsPasscode = error.missing.some((set) => set.length === 1 && set[0] === 'totp');
    if (wantsPasscode) throw new PasscodeRequiredError();
    throw unauthorized(
      'this account has a second factor that the console does not know: use an application credential',
    );
  }
  if (isOpenStackError(error, 'unauthorized') || isOpenStackError(error, 'forbidden')) {
    throw unauthorized('Keystone does not accept these credentials');
  }
  if (isOpenStackError(error)) {
    const message = `Keystone can't be asked right now: ${error.kind}`;
    throw new ApiError(503, 'ServiceUnavailable', message, { retryAfterSeconds: 5, cause: error });
  }
  throw error;
}

/** Of a session that may not hand its rights on, or has done so under the same name. */
export function asDelegationError(error: unknown): never {
  if (isOpenStackError(error, 'conflict')) {
    throw new ApiError(
      409,
      'AlreadyExists',
      'you have an application credential of this name already: choose another name',
    );
  }
  if (isOpenStackError(error, 'forbidden')) {
    throw forbidden({}, 'Keystone lets no application credential make another: sign in with your password');
  }
  return asApiError(error);
}

/** Thrown when the password was right and a passcode is wanted besides. */
export class PasscodeRequiredError extends Error {
  override readonly name = 'PasscodeRequiredError';

  constructor() {
    super('this account has a second factor: send a one-time passcode besides');
  }
}
