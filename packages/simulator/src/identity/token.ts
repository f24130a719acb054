import { createHmac, timingSafeEqual } from 'node:crypto';
import type { World } from '../world.ts';
import { type Access, ANONYMOUS } from './access.ts';
import { type AssignmentTarget, type RoleName, withImpliedRoles } from './records.ts';
import { isRevoked } from './revocations.ts';
import type { TokenClaims } from './token-claims.ts';

const PREFIX = 'gAAAAA';
/** Length of a SHA-256 hash in base64url. */
const SIGNATURE_CHARACTERS = 43;

/** A signed token with the same alphabet as Keystone's Fernet tokens. Like them, it is not stored on the server. */
export function encodeToken(world: World, claims: TokenClaims): string {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${PREFIX}${payload}${sign(world, payload)}`;
}

/**
 * The claims of a token; undefined if the token is forged, expired or revoked, or if its user, project, credential or
 * trust no longer exists.
 */
export function decodeToken(world: World, token: string): TokenClaims | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const payload = token.slice(PREFIX.length, -SIGNATURE_CHARACTERS);
  const signature = token.slice(-SIGNATURE_CHARACTERS);
  if (!isSigned(world, payload, signature)) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as TokenClaims;
  return isValid(world, claims) ? claims : undefined;
}

function isValid(world: World, claims: TokenClaims): boolean {
  const { tables, clock } = world;
  if (claims.expiresMs <= clock.now()) return false;
  if (isRevoked(world, claims)) return false;
  if (tables.users.get(claims.userId)?.enabled !== true) return false;
  if (claims.scope.kind === 'project' && tables.projects.get(claims.scope.projectId)?.enabled !== true) return false;
  if (claims.applicationCredentialId !== undefined) {
    const credential = tables.applicationCredentials.get(claims.applicationCredentialId);
    if (credential === undefined) return false;
    if (credential.expiresMs !== null && credential.expiresMs <= clock.now()) return false;
  }
  if (claims.trustId !== undefined) {
    const trust = tables.trusts.get(claims.trustId);
    if (trust === undefined || trust.deletedMs !== null) return false;
    if (trust.expiresMs !== null && trust.expiresMs <= clock.now()) return false;
    if (tables.users.get(trust.trustorUserId)?.enabled !== true) return false;
  }
  return claims.scope.kind === 'unscoped' || rolesOf(world, claims).length > 0;
}

/** The current roles of a token, including implied ones. */
export function rolesOf(world: World, claims: TokenClaims): RoleName[] {
  if (claims.scope.kind === 'unscoped') return [];
  const trust = claims.trustId === undefined ? undefined : world.tables.trusts.get(claims.trustId);
  const held = assignedRoles(world, trust?.trustorUserId ?? claims.userId, claims.scope);
  if (trust !== undefined) return withImpliedRoles(trust.roles.filter((role) => held.includes(role)));
  if (claims.applicationCredentialId !== undefined) {
    const credential = world.tables.applicationCredentials.get(claims.applicationCredentialId);
    return withImpliedRoles((credential?.roles ?? []).filter((role) => held.includes(role)));
  }
  return held;
}

/** The roles of a user in a project, domain or system, including implied ones. */
export function assignedRoles(world: World, userId: string, target: AssignmentTarget): RoleName[] {
  const direct = world.tables.assignments
    .where((a) => a.userId === userId && isSameTarget(a.target, target))
    .map((a) => a.role);
  return withImpliedRoles(direct);
}

export function isSameTarget(a: AssignmentTarget, b: AssignmentTarget): boolean {
  if (a.kind === 'project') return b.kind === 'project' && a.projectId === b.projectId;
  return a.kind === b.kind;
}

export function accessOf(world: World, claims: TokenClaims): Access {
  const { tables } = world;
  const trust = claims.trustId === undefined ? undefined : tables.trusts.get(claims.trustId);
  const userId = trust?.impersonation === true ? trust.trustorUserId : claims.userId;
  const projectId = claims.scope.kind === 'project' ? claims.scope.projectId : '';
  return {
    ...ANONYMOUS,
    claims,
    userId,
    userName: tables.users.get(userId)?.name ?? '',
    projectId,
    projectName: tables.projects.get(projectId)?.name ?? '',
    roles: rolesOf(world, claims),
  };
}

/** Signs content with a key that only this Keystone has. */
export function sign(world: World, payload: string): string {
  const key = world.tables.secrets.get('token-key')?.value ?? '';
  return createHmac('sha256', key).update(payload).digest('base64url');
}

export function isSigned(world: World, payload: string, signature: string): boolean {
  const expected = Buffer.from(sign(world, payload));
  const actual = Buffer.from(signature);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
