import type { Clock } from '@fairway/base/clock';
import type { IssuedToken } from '@fairway/openstack/auth/token-source';
import { CommandError } from '@fairway/service/command-error';
import { isSameProcess, type ProcessRef } from './asker.ts';
import { withLockFile } from './lock-file.ts';
import type { KeptToken, TokenCache } from './token-cache.ts';

/** A token is replaced this long before it expires, or at nine tenths of its life if that is later. */
const RENEW_BEFORE_MS = 5 * 60_000;
const MAX_ASKERS = 16;

export interface KeptSignInOptions {
  readonly cache: TokenCache;
  readonly key: string;
  readonly cloud: string;
  readonly authUrl: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly self: ProcessRef;
  /** Who gets the token. */
  readonly asker: ProcessRef;
  readonly signIn: () => Promise<IssuedToken>;
  /** Whether Keystone still knows the token. */
  readonly isAccepted: (token: string) => Promise<boolean>;
  readonly onWait: (holder: ProcessRef) => void;
}

/**
 * The token that is kept, or a new one, for which of many processes one signs in.
 *
 * A process keeps a token itself until it expires, and asks again only when its server has answered 401: then Keystone is asked about the token
 * first.
 */
export async function keptSignIn(options: KeptSignInOptions): Promise<KeptToken> {
  const { cache, key, clock, signal, self, asker } = options;
  const found = await cache.read(key);
  if (found !== undefined && isFresh(found, clock) && !wasGiven(found, asker)) return given(options, found);
  const cameMs = clock.now();
  return withLockFile(cache.lockOf(key), { clock, signal, self, onWait: options.onWait }, async () => {
    const kept = await cache.read(key);
    const isNew = kept !== undefined && kept.token !== found?.token;
    if (kept !== undefined && isFresh(kept, clock)) {
      if (isNew || !wasGiven(kept, asker)) return given(options, kept);
      if (await options.isAccepted(kept.token)) return kept;
    }
    const refusal = await cache.refusal(key);
    // Who waited for a sign-in that failed does not try the same again: a user may be locked out.
    if (refusal !== undefined && refusal.atMs >= cameMs && refusal.atMs <= clock.now()) {
      throw new CommandError(refusal.message, { advice: refusal.advice });
    }
    return renewed(options);
  });
}

async function renewed(options: KeptSignInOptions): Promise<KeptToken> {
  const { cache, key, clock, cloud, authUrl, asker, signal } = options;
  try {
    const issued = await options.signIn();
    const { id, token, expiresAtMs } = issued;
    const kept: KeptToken = {
      authUrl,
      cloud,
      token: id,
      expiresAtMs,
      renewAtMs: renewAtMs(expiresAtMs, clock.now()),
      user: token.user.name,
      project: token.project?.name ?? '',
      projectId: token.project?.id ?? '',
      askers: [asker],
    };
    await cache.remove(key);
    await cache.sweep(clock.now());
    await cache.write(key, kept);
    return kept;
  } catch (error) {
    if (!signal.aborted) {
      // Loaded on demand, as the module imports all packages, and most runs find a token.
      const { explainError } = await import('../command/explain-error.ts');
      const { message, advice } = explainError(error);
      await cache.noteRefusal(key, { message, atMs: clock.now(), ...(advice !== undefined && { advice }) });
    }
    throw error;
  }
}

function renewAtMs(expiresAtMs: number, nowMs: number): number {
  const lifeMs = expiresAtMs - nowMs;
  return Math.max(expiresAtMs - RENEW_BEFORE_MS, nowMs + Math.floor(lifeMs * 0.9));
}

function isFresh({ renewAtMs }: KeptToken, clock: Clock): boolean {
  return clock.now() < renewAtMs;
}

function wasGiven({ askers }: KeptToken, asker: ProcessRef): boolean {
  return askers.some((each) => isSameProcess(each, asker));
}

/** Notes who has it, unless it was replaced meanwhile. Of two that note at once one may be forgotten, who then is not known when asking again. */
async function given({ cache, key, asker }: KeptSignInOptions, kept: KeptToken): Promise<KeptToken> {
  const latest = await cache.read(key);
  if (latest?.token !== kept.token) return kept;
  const askers = [...latest.askers.slice(1 - MAX_ASKERS), asker];
  await cache.write(key, { ...latest, askers });
  return kept;
}
