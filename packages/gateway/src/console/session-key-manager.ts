import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { Secrets } from '@fairway/kube/kinds/resources';
import { ApiError, isApiError } from '@fairway/kube/object/api-error';
import {
  newSessionKeys,
  PUBLISH_AHEAD_MS,
  parseSessionKeys,
  rotateKeys,
  SESSION_KEYS_SECRET,
  type SessionKey,
  type SessionKeys,
  sessionKeys,
  sessionKeysSecret,
} from './session-keys.ts';

/** Maximum age of the cached Secret: shorter than the time for which a new key is announced. */
const CACHE_TTL_MS = PUBLISH_AHEAD_MS / 2;

/**
 * The session keys of the installation, which all replicas share: read on demand, created if missing, and rotated by the first
 * replica that finds a rotation due.
 */
export class SessionKeyManager {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  #cachedKeys: { readonly keys: readonly SessionKey[]; readonly atMs: number } | undefined;
  #pendingRead: Promise<readonly SessionKey[]> | undefined;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async get(): Promise<SessionKeys> {
    const nowMs = this.#clock.now();
    const isFresh = this.#cachedKeys !== undefined && nowMs < this.#cachedKeys.atMs + CACHE_TTL_MS;
    const keys = isFresh && this.#cachedKeys ? this.#cachedKeys.keys : await this.#read();
    return sessionKeys(keys, this.#clock.now());
  }

  /** One read for all concurrent callers. If the API fails, the cached keys remain in use. */
  #read(): Promise<readonly SessionKey[]> {
    this.#pendingRead ??= this.#cache()
      .then((keys) => {
        this.#cachedKeys = { keys, atMs: this.#clock.now() };
        return keys;
      })
      .catch((error: unknown) => {
        if (this.#cachedKeys !== undefined) return this.#cachedKeys.keys;
        // This is not the user's fault: perhaps "fairway install" was not run after an upgrade.
        const reason = error instanceof Error ? error.message : String(error);
        throw new ApiError(503, 'ServiceUnavailable', `cannot read the keys of console sessions: ${reason}`, {
          cause: error,
        });
      })
      .finally(() => {
        this.#pendingRead = undefined;
      });
    return this.#pendingRead;
  }

  async #cache(): Promise<readonly SessionKey[]> {
    const secrets = this.#client.resource(Secrets);
    for (;;) {
      const nowMs = this.#clock.now();
      const stored = await undefinedIfNotFound(secrets.get(SESSION_KEYS_SECRET, { namespace: SYSTEM_NAMESPACE }));
      try {
        if (stored === undefined) {
          const keys = newSessionKeys(nowMs);
          await secrets.create(sessionKeysSecret(keys));
          return keys;
        }
        const keys = parseSessionKeys(stored);
        const next = rotateKeys(keys, nowMs);
        if (next === undefined) return keys;
        await secrets.update({ ...stored, data: sessionKeysSecret(next).data ?? {} });
        return next;
      } catch (error) {
        // Another replica got there first, and its write wins.
        if (!isApiError(error, 'AlreadyExists', 'Conflict')) throw error;
      }
    }
  }
}
