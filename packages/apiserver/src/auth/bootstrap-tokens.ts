import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@fairway/base/clock';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { Secrets } from '@fairway/kube/kinds/resources';
import { forApiAudiences, type TokenAuthenticator } from './token-authenticator.ts';
import type { UserInfo } from './user.ts';
import { GROUP_BOOTSTRAPPERS } from './well-known-users.ts';

export const BOOTSTRAP_TOKEN_TYPE = 'bootstrap.kubernetes.io/token';
export const BOOTSTRAP_TOKEN_NAMESPACE = 'kube-system';

/** The form of a bootstrap token: `<public id>.<secret>`. */
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * Tokens that joining nodes present, stored as Secrets `bootstrap-token-<id>` in kube-system. As in upstream, the
 * result for a token that is unknown, expired or not usable for authentication is "not mine": all that the caller sees
 * is a 401.
 */
export function createBootstrapTokenAuthenticator(
  reader: ObjectReader,
  clock: Clock,
  apiAudiences: readonly string[],
): TokenAuthenticator {
  return {
    authenticateToken(token, audiences) {
      const [, id, secret] = TOKEN.exec(token) ?? [];
      if (id === undefined || secret === undefined) return Promise.resolve(undefined);
      const stored = reader.get(Secrets, BOOTSTRAP_TOKEN_NAMESPACE, `bootstrap-token-${id}`);
      const user = stored && userOf(stored, id, secret, clock.now());
      return Promise.resolve(forApiAudiences(user, audiences, apiAudiences));
    },
  };
}

function userOf(stored: Secret, id: string, secret: string, nowMs: number): UserInfo | undefined {
  if (stored.type !== BOOTSTRAP_TOKEN_TYPE || stored.metadata.deletionTimestamp !== undefined) return undefined;
  if (!isSame(field(stored, 'token-secret'), secret) || field(stored, 'token-id') !== id) return undefined;
  if (isBootstrapTokenExpired(stored, nowMs)) return undefined;
  if (field(stored, 'usage-bootstrap-authentication') !== 'true') return undefined;

  const extraGroups = field(stored, 'auth-extra-groups')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  if (!extraGroups.every((group) => EXTRA_GROUP.test(group))) return undefined;
  return {
    username: `system:bootstrap:${id}`,
    groups: [GROUP_BOOTSTRAPPERS, ...extraGroups.filter((group) => group !== GROUP_BOOTSTRAPPERS)],
  };
}

/**
 * Whether the token's `expiration` has passed; an invalid time counts as expired. Tokens without an expiration do not
 * expire.
 */
export function isBootstrapTokenExpired(stored: Secret, nowMs: number): boolean {
  const expiration = field(stored, 'expiration');
  if (expiration === '') return false;
  const expirationMs = Date.parse(expiration);
  return Number.isNaN(expirationMs) || expirationMs <= nowMs;
}

function field(stored: Secret, key: string): string {
  return Buffer.from(stored.data?.[key] ?? '', 'base64').toString('utf8');
}

/** Compares hashes, so that the timing reveals neither content nor length. */
function isSame(stored: string, presented: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(stored), hash(presented));
}
