import { createHash, timingSafeEqual } from 'node:crypto';
import { forApiAudiences, type TokenAuthenticator } from './token-authenticator.ts';
import type { UserInfo } from './user.ts';

export interface StaticToken {
  /** Hex SHA-256 of the token, from `hashToken`: tokens themselves need not be kept. */
  readonly sha256: string;
  readonly user: UserInfo;
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A few fixed tokens. All hashes are compared, each in constant time, so the time of an answer tells nothing of a token. */
export function createStaticTokenAuthenticator(
  tokens: readonly StaticToken[],
  apiAudiences: readonly string[],
): TokenAuthenticator {
  const known = tokens.map(({ sha256, user }) => ({ hash: Buffer.from(sha256, 'hex'), user }));
  return {
    authenticateToken(token, audiences) {
      const presented = createHash('sha256').update(token).digest();
      let found: UserInfo | undefined;
      for (const { hash, user } of known) {
        if (hash.length === presented.length && timingSafeEqual(hash, presented)) found = user;
      }
      return Promise.resolve(forApiAudiences(found, audiences, apiAudiences));
    },
  };
}
