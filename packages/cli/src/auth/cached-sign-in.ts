import type { Clock } from '@fairway/base/clock';
import type { IssuedToken } from '@fairway/openstack/auth/token-source';
import { CommandError } from '@fairway/service/command-error';
import { withLockFile } from './lock-file.ts';
import { isSameProcess, type ProcessRef } from './process-ref.ts';
import type { CachedToken, TokenCache } from './token-cache.ts';

/** A token is replaced this long before it expires, or after 90% of its lifetime if that is later. */
const RENEW_BEFORE_MS = 5 * 60_000;
const MAX_REQUESTERS = 16;

export interface CachedSignInOptions {
  readonly cache: TokenCache;
  readonly key: string;
  readonly cloud: string;
  readonly authUrl: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly self: ProcessRef;
  /** The process that gets the token. */
  readonly requester: ProcessRef;
  readonly signIn: () => Promise<IssuedToken>;
  /** Whether Keystone still accepts the token. */
  readonly isAccepted: (token: string) => Promise<boolean>;
  readonly onWait: (holder: ProcessRef) => void;
}

/**
 * Returns the cached token or a new one; if many processes run concurrently, only one signs in.
 *
 * A client process keeps its token until it expires. It requests a new one early only if its server responded with 401.
 * In that case, the cached token is first checked with Keystone.
 */
export async function cachedSignIn(options: CachedSignInOptions): Promise<CachedToken> {
  const { cache, key, clock, signal, self, requester } = options;
  const found = await cache.read(key);
  if (found !== undefined && isFresh(found, clock) && !wasIssuedTo(found, requester))
    return recordRequester(options, found);
  const startedAtMs = clock.now();
  return withLockFile(cache.lockOf(key), { clock, signal, self, onWait: options.onWait }, async () => {
    const cached = await cache.read(key);
    const isNew = cached !== undefined && cached.token !== found?.token;
    if (cached !== undefined && isFresh(cached, clock)) {
      if (isNew || !wasIssuedTo(cached, requester)) return recordRequester(options, cached);
      if (await options.isAccepted(cached.token)) return cached;
    }
    const failure = await cache.lastFailure(key);
    // A process that waited for a failed sign-in must not retry it: the user could be locked out.
    if (failure !== undefined && failure.atMs >= startedAtMs && failure.atMs <= clock.now()) {
      throw new CommandError(failure.message, { advice: failure.advice });
    }
    return renewToken(options);
  });
}

async function renewToken(options: CachedSignInOptions): Promise<CachedToken> {
  const { cache, key, clock, cloud, authUrl, requester, signal } = options;
  try {
    const issued = await options.signIn();
    const { id, token, expiresAtMs } = issued;
    const cached: CachedToken = {
      authUrl,
      cloud,
      token: id,
      expiresAtMs,
      renewAtMs: renewAtMs(expiresAtMs, clock.now()),
      user: token.user.name,
      project: token.project?.name ?? '',
      projectId: token.project?.id ?? '',
      askers: [requester],
    };
    await cache.remove(key);
    await cache.sweep(clock.now());
    await cache.write(key, cached);
    return cached;
  } catch (error) {
    if (!signal.aborted) {
      // Loaded on demand because the module imports all packages and most runs find a token.
      const { explainError } = await import('../command/explain-error.ts');
      const { message, advice } = explainError(error);
      await cache.recordFailure(key, { message, atMs: clock.now(), ...(advice !== undefined && { advice }) });
    }
    throw error;
  }
}

function renewAtMs(expiresAtMs: number, nowMs: number): number {
  const lifeMs = expiresAtMs - nowMs;
  return Math.max(expiresAtMs - RENEW_BEFORE_MS, nowMs + Math.floor(lifeMs * 0.9));
}

function isFresh({ renewAtMs }: CachedToken, clock: Clock): boolean {
  return clock.now() < renewAtMs;
}

function wasIssuedTo({ askers }: CachedToken, requester: ProcessRef): boolean {
  return askers.some((each) => isSameProcess(each, requester));
}

/**
 * Records that the process has the token, unless it was replaced in the meantime. If two processes write concurrently,
 * one record may be lost; that process is then treated as a new one.
 */
async function recordRequester(
  { cache, key, requester }: CachedSignInOptions,
  cached: CachedToken,
): Promise<CachedToken> {
  const latest = await cache.read(key);
  if (latest?.token !== cached.token) return cached;
  const askers = [...latest.askers.slice(1 - MAX_REQUESTERS), requester];
  await cache.write(key, { ...latest, askers });
  return cached;
}
