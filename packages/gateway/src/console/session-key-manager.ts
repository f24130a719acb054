import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Clock } from '@fairway/base/clock';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { undefinedIfNotFound } from '@fairway/kube/client/undefined-if-not-found';
import { Secrets } from '@fairway/kube/kinds/resources';
import { ApiError, isApiError } from '@fairway/kube/object/api-error';
import {
  ANNOUNCE_MS,
  newSessionKeys,
  parseSessionKeys,
  rotated,
  SESSION_KEYS_SECRET,
  type SessionKey,
  type SessionKeys,
  sessionKeys,
  sessionKeysSecret,
} from './session-keys.ts';

/** Maximum age of the cached Secret: a new key is announced for longer. */
const FRESH_MS = ANNOUNCE_MS / 2;

/**
 * The session keys of the installation, which all replicas share: read on demand, created if missing, and rotated by the first
 * replica that finds a rotation due.
 */
export class SessionKeyManager {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  #known: { readonly keys: readonly SessionKey[]; readonly atMs: number } | undefined;
  #reading: Promise<readonly SessionKey[]> | undefined;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async get(): Promise<SessionKeys> {
    const nowMs = this.#clock.now();
    const isFresh = this.#known !== undefined && nowMs < this.#known.atMs + FRESH_MS;
    const keys = isFresh && this.#known ? this.#known.keys : await this.#read();
    return sessionKeys(keys, this.#clock.now());
  }

  /** One read for all concurrent callers. If the API fails, the cached keys remain in use. */
  #read(): Promise<readonly SessionKey[]> {
    this.#reading ??= this.#cache()
      .then((keys) => {
        this.#known = { keys, atMs: this.#clock.now() };
        return keys;
      })
      .catch((error: unknown) => {
        if (this.#known !== undefined) return this.#known.keys;
        // The user did nothing wrong: perhaps "fairway install" was not run after an upgrade.
        const said = error instanceof Error ? error.message : String(error);
        throw new ApiError(503, 'ServiceUnavailable', `cannot read the keys of console sessions: ${said}`, {
          cause: error,
        });
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
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
        const next = rotated(keys, nowMs);
        if (next === undefined) return keys;
        await secrets.update({ ...stored, data: sessionKeysSecret(next).data ?? {} });
        return next;
      } catch (error) {
        // Another replica was faster: its write wins.
        if (!isApiError(error, 'AlreadyExists', 'Conflict')) throw error;
      }
    }
  }
}
