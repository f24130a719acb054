import { authenticate } from '../auth/authenticate.ts';
import type { IdentityRef, Scope } from '../auth/credential.ts';
import { FactorsRequiredError } from '../auth/factors-required-error.ts';
import { federate } from '../auth/federation.ts';
import { projectsFor } from '../auth/own-token.ts';
import type { IssuedToken } from '../auth/token-source.ts';
import type { HttpClient } from '../http/http-client.ts';
import type { HttpTransport } from '../http/transport.ts';
import { providerToken } from './oidc/provider-token.ts';
import { type PersonContext, SignInError } from './person.ts';
import type { SignIn } from './sign-in.ts';

export interface SignInContext extends PersonContext {
  readonly http: HttpClient;
  /** Connections to the identity provider. */
  readonly transport: HttpTransport;
  readonly authUrl: string;
}

/**
 * Signs in and prompts the person for missing values. The token is scoped to a project. Throws a SignInError or an
 * OpenStackError.
 */
export async function signInWith(signIn: SignIn, context: SignInContext): Promise<IssuedToken> {
  const { http, authUrl } = context;
  switch (signIn.kind) {
    case 'credential':
      return projectToken(await authenticate(http, authUrl, signIn.credential), context);
    case 'password':
      return projectToken(await signInByPassword(signIn, context), context);
    case 'totp': {
      const passcode = signIn.passcode ?? (await askPasscode(signIn.user, context));
      const credential = { kind: 'totp', user: signIn.user, passcode, scope: signIn.scope } as const;
      return projectToken(await authenticate(http, authUrl, credential), context);
    }
    case 'federated': {
      const unscoped = await federate(http, authUrl, signIn, await providerToken(signIn.grant, context));
      return projectToken(await scopeToken(unscoped, signIn.scope, context), context);
    }
  }
}

async function signInByPassword(
  { user, scope, withPasscode, ...secrets }: Extract<SignIn, { kind: 'password' }>,
  context: SignInContext,
): Promise<IssuedToken> {
  const { http, authUrl } = context;
  const password = secrets.password ?? (await context.person.askSecret(`Password of ${nameOf(user)}: `));
  const passcode = secrets.passcode ?? (withPasscode ? await askPasscode(user, context) : undefined);
  const credential = { kind: 'password', user, password, scope } as const;
  try {
    return await authenticate(http, authUrl, passcode === undefined ? credential : { ...credential, passcode });
  } catch (error) {
    const isPasscode = error instanceof FactorsRequiredError && error.missing.some(isPasscodeAlone);
    if (!isPasscode) throw error;
    const { receipt } = error;
    const next = { kind: 'totp', user, passcode: await askPasscode(user, context), receipt, scope } as const;
    return authenticate(http, authUrl, next);
  }
}

function isPasscodeAlone(missing: readonly string[]): boolean {
  return missing.length === 1 && missing[0] === 'totp';
}

async function askPasscode(user: IdentityRef, { person }: SignInContext): Promise<string> {
  return (await person.askSecret(`One-time passcode of ${nameOf(user)}: `)).replaceAll(/\s/g, '');
}

function nameOf({ id, name }: IdentityRef): string {
  return name ?? `user ${id}`;
}

async function scopeToken(token: IssuedToken, scope: Scope, { http, authUrl }: SignInContext): Promise<IssuedToken> {
  return scope.kind === 'default' ? token : authenticate(http, authUrl, { kind: 'token', token: token.id, scope });
}

/** Exchanges an unscoped token for a token scoped to the user's only project. */
async function projectToken(issued: IssuedToken, context: SignInContext): Promise<IssuedToken> {
  const { token } = issued;
  if (token.project !== undefined) return issued;
  if (token.domain !== undefined || token.system !== undefined) {
    throw new SignInError(`the token of ${token.user.name} is for a domain or the system, not for a project`, {
      advice: 'specify a project: project_name with project_domain_name in clouds.yaml, or --project',
    });
  }
  const projects = await projectsFor(context.http, context.authUrl, issued.id);
  const [only] = projects;
  if (only === undefined) {
    throw new SignInError(`${token.user.name} has no role in any project`, {
      advice: 'ask the cloud operator for a role in your project',
    });
  }
  if (projects.length > 1) {
    const names = projects.map(({ name, id }) => `${name} (${id})`).join(', ');
    throw new SignInError(`${token.user.name} has access to several projects: ${names}`, {
      advice: 'select one: project_id in clouds.yaml, OS_PROJECT_ID, or --project',
    });
  }
  return scopeToken(issued, { kind: 'project', project: { id: only.id } }, context);
}
