import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '../http/api.ts';
import type { World } from '../world.ts';
import { malformed, NOT_AUTHORIZED, notFound, unauthorized } from './problem.ts';
import { methodsOfReceipt, requireMethods } from './receipts.ts';
import {
  type ApplicationCredential,
  DEFAULT_DOMAIN,
  type Project,
  type RoleName,
  type Trust,
  type User,
} from './records.ts';
import { assignedRoles, decodeToken } from './token.ts';
import type { Scope, TokenClaims } from './token-claims.ts';
import { isPasscodeOf } from './totp.ts';

const DomainRef = z.object({ id: z.string().optional(), name: z.string().optional() });
const UserRef = z.object({ id: z.string().optional(), name: z.string().optional(), domain: DomainRef.optional() });
const ProjectRef = UserRef;

const AuthRequest = z.object({
  auth: z.object({
    identity: z.object({
      methods: z.array(z.string()),
      password: z.object({ user: UserRef.extend({ password: z.string() }) }).optional(),
      totp: z.object({ user: UserRef.extend({ passcode: z.string() }) }).optional(),
      token: z.object({ id: z.string() }).optional(),
      application_credential: z
        .object({
          id: z.string().optional(),
          name: z.string().optional(),
          secret: z.string(),
          user: UserRef.optional(),
        })
        .optional(),
    }),
    scope: z
      .union([
        z.literal('unscoped'),
        z.object({
          unscoped: z.object({}).optional(),
          project: ProjectRef.optional(),
          domain: DomainRef.optional(),
          system: z.object({ all: z.boolean() }).optional(),
          'OS-TRUST:trust': z.object({ id: z.string() }).optional(),
        }),
      ])
      .optional(),
  }),
});
type AuthRequest = z.infer<typeof AuthRequest>;

/** An authenticated identity. */
export interface Identity {
  readonly user: User;
  readonly methods: readonly string[];
  readonly auditId?: string;
  /** A token that was obtained with another token expires with that token. */
  readonly expiresMs?: number;
  readonly credential?: ApplicationCredential;
  readonly previousScope?: Scope;
  readonly identityProvider?: string;
}

/**
 * Handles `POST /v3/auth/tokens`. A wrong secret and an unknown user result in the same 401. Too few methods for the
 * user's rules result in {@link InsufficientMethods}.
 */
export function authenticate(world: World, body: unknown, receipt?: string): TokenClaims {
  const parsed = AuthRequest.safeParse(body);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path ?? [];
    throw malformed(String(path.at(-1) ?? 'auth'), String(path.at(-2) ?? 'request body'));
  }
  const { auth } = parsed.data;
  const identified = identify(world, auth.identity);
  const receipts = receipt === undefined ? [] : methodsOfReceipt(world, receipt, identified.user.id);
  const identity = { ...identified, methods: [...new Set([...identified.methods, ...receipts])] };
  requireMethods(identity.user, identity.methods);
  return claimsFor(world, identity, auth.scope);
}

/** The claims of a new token for an authenticated identity. */
export function claimsFor(world: World, identity: Identity, requested: AuthRequest['auth']['scope']): TokenClaims {
  const { scope, trust } = chooseScope(world, identity, requested);
  if (identity.credential !== undefined && identity.previousScope === undefined && requested !== undefined) {
    throw new ApiError(
      401,
      'Error authenticating with application credential: Application credentials cannot request a scope.',
    );
  }
  const now = world.clock.now();
  const limits = [
    now + world.config.tokenLifetimeMs,
    identity.expiresMs,
    identity.credential?.expiresMs,
    trust?.expiresMs,
  ];
  const auditIds = [world.ids.secret(22), ...(identity.auditId === undefined ? [] : [identity.auditId])];
  return {
    userId: identity.user.id,
    methods: identity.methods,
    scope,
    issuedMs: now,
    expiresMs: Math.min(...limits.filter((limit) => typeof limit === 'number')),
    auditIds,
    ...(identity.credential === undefined ? {} : { applicationCredentialId: identity.credential.id }),
    ...(trust === undefined ? {} : { trustId: trust.id }),
    ...(identity.identityProvider === undefined ? {} : { identityProvider: identity.identityProvider }),
  };
}

function identify(world: World, request: AuthRequest['auth']['identity']): Identity {
  const [method, ...more] = request.methods;
  if (method === 'password' || method === 'totp') {
    const [user, ...others] = [method, ...more].map((factor) => userByFactor(world, request, factor));
    if (user === undefined || others.some(({ id }) => id !== user.id)) throw unauthorized();
    return { user, methods: request.methods };
  }
  if (method === 'token') {
    if (request.token === undefined) throw malformed('token', 'identity');
    return identifyByToken(world, request.token.id);
  }
  if (method === 'application_credential') {
    const reference = request.application_credential;
    if (reference === undefined) throw malformed('application_credential', 'identity');
    const owner = reference.user === undefined ? undefined : findUser(world, reference.user);
    const credential = world.tables.applicationCredentials.find((c) =>
      reference.id === undefined ? c.name === reference.name && c.userId === owner?.id : c.id === reference.id,
    );
    if (credential === undefined && reference.id !== undefined) {
      throw notFound('Application Credential', reference.id);
    }
    const user = world.tables.users.get(credential?.userId ?? '');
    if (credential === undefined || user?.enabled !== true) throw unauthorized();
    if (credential.expiresMs !== null && credential.expiresMs <= world.clock.now()) throw unauthorized();
    if (!isSame(credential.secretHash, hashSecret(reference.secret))) throw unauthorized();
    return { user, methods: ['application_credential'], credential };
  }
  throw new ApiError(401, 'Attempted to authenticate with an unsupported method.');
}

function userByFactor(world: World, request: AuthRequest['auth']['identity'], factor: string): User {
  if (factor === 'password') {
    if (request.password === undefined) throw malformed('password', 'identity');
    const { user: reference } = request.password;
    const user = findUser(world, reference);
    if (user?.enabled !== true || !isSame(user.password, reference.password)) throw unauthorized();
    return user;
  }
  if (factor === 'totp') {
    if (request.totp === undefined) throw malformed('totp', 'identity');
    const { user: reference } = request.totp;
    const user = findUser(world, reference);
    if (user?.enabled !== true || !isPasscodeOf(world, user, reference.passcode)) throw unauthorized();
    return user;
  }
  throw new ApiError(401, 'Attempted to authenticate with an unsupported method.');
}

function identifyByToken(world: World, id: string): Identity {
  const claims = decodeToken(world, id);
  const user = world.tables.users.get(claims?.userId ?? '');
  if (claims === undefined || user === undefined) throw new ApiError(404, 'Could not recognize Fernet token');
  if (claims.trustId !== undefined) {
    const cause = 'Using trust-scoped token to create another token. Create a new trust-scoped token instead.';
    throw new ApiError(403, `${NOT_AUTHORIZED}: ${cause}`);
  }
  const credential = world.tables.applicationCredentials.get(claims.applicationCredentialId ?? '');
  const auditId = claims.auditIds.at(-1);
  return {
    user,
    methods: claims.methods.includes('token') ? claims.methods : ['token', ...claims.methods],
    expiresMs: claims.expiresMs,
    previousScope: claims.scope,
    ...(auditId === undefined ? {} : { auditId }),
    ...(claims.identityProvider === undefined ? {} : { identityProvider: claims.identityProvider }),
    ...(credential === undefined ? {} : { credential }),
  };
}

function chooseScope(
  world: World,
  { user, credential, previousScope }: Identity,
  request: AuthRequest['auth']['scope'],
): { readonly scope: Scope; readonly trust?: Trust } {
  if (credential !== undefined) {
    const project =
      request === 'unscoped' || request?.project === undefined ? undefined : findProject(world, request.project);
    if (request !== undefined && previousScope !== undefined && project?.id !== credential.projectId)
      throw unauthorized();
    return { scope: { kind: 'project', projectId: credential.projectId } };
  }
  if (request === 'unscoped') return { scope: { kind: 'unscoped' } };
  if (request === undefined || request.unscoped !== undefined) {
    const projectId = request === undefined ? user.defaultProjectId : undefined;
    const target = { kind: 'project', projectId: projectId ?? '' } as const;
    const isUsable = assignedRoles(world, user.id, target).length > 0;
    return { scope: isUsable ? target : { kind: 'unscoped' } };
  }
  if (request['OS-TRUST:trust'] !== undefined) return useTrust(world, user, request['OS-TRUST:trust'].id);
  const scope: Scope = scopeFrom(world, request);
  if (scope.kind !== 'unscoped' && assignedRoles(world, user.id, scope).length === 0) throw unauthorized();
  return { scope };
}

function scopeFrom(world: World, request: Exclude<AuthRequest['auth']['scope'], 'unscoped' | undefined>): Scope {
  if (request.project !== undefined) {
    const project = findProject(world, request.project);
    if (project?.enabled !== true) throw unauthorized();
    return { kind: 'project', projectId: project.id };
  }
  if (request.domain !== undefined) {
    if (!isDefaultDomain(request.domain)) throw unauthorized();
    return { kind: 'domain' };
  }
  if (request.system !== undefined) return { kind: 'system' };
  throw malformed('project or domain', 'scope');
}

function useTrust(world: World, user: User, id: string): { readonly scope: Scope; readonly trust: Trust } {
  const trust = world.tables.trusts.get(id);
  if (trust === undefined || trust.deletedMs !== null) throw notFound('trust', id);
  if (trust.trusteeUserId !== user.id) throw new ApiError(403, `${NOT_AUTHORIZED}.`);
  if (trust.expiresMs !== null && trust.expiresMs <= world.clock.now()) throw notFound('trust', id);
  const scope = { kind: 'project', projectId: trust.projectId } as const;
  const held: readonly RoleName[] = assignedRoles(world, trust.trustorUserId, scope);
  if (!trust.roles.every((role) => held.includes(role))) {
    throw new ApiError(403, `${NOT_AUTHORIZED}.`);
  }
  if (trust.remainingUses !== null) {
    if (trust.remainingUses <= 0) throw new ApiError(403, `No remaining uses for trust: ${id}.`);
    world.tables.trusts.put({ ...trust, remainingUses: trust.remainingUses - 1 });
  }
  return { scope, trust };
}

function findUser(world: World, reference: z.infer<typeof UserRef>): User | undefined {
  if (reference.id !== undefined) return world.tables.users.get(reference.id);
  if (reference.name === undefined || !isDefaultDomain(reference.domain)) return undefined;
  return world.tables.users.find((user) => user.name === reference.name);
}

function findProject(world: World, reference: z.infer<typeof ProjectRef>): Project | undefined {
  if (reference.id !== undefined) return world.tables.projects.get(reference.id);
  if (reference.name === undefined || !isDefaultDomain(reference.domain)) return undefined;
  return world.tables.projects.find((project) => project.name === reference.name);
}

function isDefaultDomain(reference: z.infer<typeof DomainRef> | undefined): boolean {
  return reference?.id === DEFAULT_DOMAIN.id || reference?.name === DEFAULT_DOMAIN.name;
}

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function isSame(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest());
}
