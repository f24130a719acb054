import { badRequest } from '@fairway/kube/object/api-error';
import type { Credential } from '@fairway/openstack/auth/credential';
import { z } from 'zod';

/** Longer than Keystone's maximum. */
const shortText = z.string().min(1).max(255);
const secret = z.string().min(1).max(4_096);

const SignInRequest = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('password'),
    username: shortText,
    /** Name or ID. */
    domain: shortText,
    password: secret,
    passcode: shortText.optional(),
    /** ID of the last project used. */
    project: shortText.optional(),
  }),
  z.strictObject({ kind: z.literal('applicationCredential'), id: shortText, secret }),
  z.strictObject({ kind: z.literal('token'), token: secret }),
  /** Signs in with the token from Keystone's page. */
  z.strictObject({ kind: z.literal('singleSignOn'), project: shortText.optional() }),
]);
export type SignInRequest = z.infer<typeof SignInRequest>;

const DelegationRequest = z.strictObject({ name: shortText });
const BeginRequest = z.strictObject({ name: shortText });
const SwitchRequest = z.strictObject({ id: shortText });

/** Throws 400. The error does not repeat the input, which may contain a password. */
export function parseSignIn(body: string): SignInRequest {
  return parse(SignInRequest, body);
}

/** The ID of the project to switch to. Throws 400. */
export function parseSwitch(body: string): string {
  return parse(SwitchRequest, body).id;
}

/** The name of the single sign-on method. Throws 400. */
export function parseBegin(body: string): string {
  return parse(BeginRequest, body).name;
}

/** The name of the requested application credential. Throws 400. */
export function parseDelegation(body: string): string {
  return parse(DelegationRequest, body).name;
}

function parse<T>(schema: z.ZodType<T>, body: string): T {
  try {
    return schema.parse(JSON.parse(body));
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw badRequest('the body is not JSON');
    const [issue] = error.issues;
    throw badRequest(`${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'is invalid'}`);
  }
}

/** The credential for Keystone; without a project, the user's default project applies if there is one. */
export function credentialOf(
  request: Extract<SignInRequest, { kind: 'password' | 'applicationCredential' }>,
  project: string | undefined,
): Credential {
  if (request.kind === 'applicationCredential') return { ...request, kind: 'applicationCredential' };
  const { username, domain, password, passcode } = request;
  return {
    kind: 'password',
    user: { name: username, domain: { name: domain } },
    password,
    ...(passcode !== undefined && { passcode }),
    scope: project === undefined ? { kind: 'default' } : { kind: 'project', project: { id: project } },
  };
}

/**
 * The account whose password or secret is tried, for counting attempts; undefined for a token, whose user is not known
 * yet.
 */
export function accountOf(request: SignInRequest): string | undefined {
  switch (request.kind) {
    case 'password':
      return `user ${caseFolded(request.domain)}/${caseFolded(request.username)}`;
    case 'applicationCredential':
      return `application credential ${caseFolded(request.id)}`;
    case 'token':
    case 'singleSignOn':
      return undefined;
  }
}

/**
 * Normalizes names that Keystone considers equal, because its database ignores case, accents and trailing
 * spaces.
 */
function caseFolded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').trim().toLowerCase();
}
