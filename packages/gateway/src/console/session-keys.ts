import { randomBytes } from 'node:crypto';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Secret } from '@fairway/kube/kinds/generated/types';
import { z } from 'zod';

/** A key of A256GCM. */
export interface SessionKey {
  readonly id: string;
  readonly key: Uint8Array;
  readonly sinceMs: number;
}

/** The active key seals sessions; previous keys only open them. */
export interface SessionKeys {
  readonly active: SessionKey;
  readonly previousKeys: readonly SessionKey[];
}

export const SESSION_KEYS_SECRET = 'fairway-console-sessions';
export const SESSION_KEYS_TYPE = 'fairway.dev/console-sessions';
const SECRET_ENTRY = 'keys.json';
const DAY_MS = 86_400_000;
/** How long a key seals. */
const ROTATION_INTERVAL_MS = 7 * DAY_MS;
/** Maximum lifetime of a session; the key that sealed the session is kept until then. */
export const MAX_SESSION_MS = DAY_MS;
/** A key is published this long before it seals anything, because replicas poll. */
export const PUBLISH_AHEAD_MS = 10 * 60_000;
const KEY_BYTES = 32;

const Stored = z.array(z.object({ id: z.string(), key: z.base64url(), since: z.iso.datetime() })).min(1);

function newKey(sinceMs: number): SessionKey {
  return { id: randomBytes(6).toString('base64url'), key: randomBytes(KEY_BYTES), sinceMs };
}

export function newSessionKeys(nowMs: number): readonly SessionKey[] {
  return [newKey(nowMs)];
}

/** The keys after the next step of their rotation, newest first; undefined if no step is due. */
export function rotateKeys(keys: readonly SessionKey[], nowMs: number): readonly SessionKey[] | undefined {
  const [newest] = keys;
  const isDue = newest === undefined || newest.sinceMs + ROTATION_INTERVAL_MS <= nowMs;
  const all = isDue ? [newKey(nowMs + PUBLISH_AHEAD_MS), ...keys] : keys;
  // A key that was replaced longer ago than a session's lifetime can no longer open anything.
  const retainedKeys = all.filter((_, index) => {
    const successor = all[index - 1];
    return successor === undefined || successor.sinceMs + MAX_SESSION_MS > nowMs;
  });
  return isDue || retainedKeys.length < all.length ? retainedKeys : undefined;
}

/** The newest key that is due becomes the active one. */
export function sessionKeys(keys: readonly SessionKey[], nowMs: number): SessionKeys {
  const active = keys.find(({ sinceMs }) => sinceMs <= nowMs) ?? keys.at(-1);
  if (active === undefined) throw new Error('the session key is missing');
  return { active, previousKeys: keys.filter((key) => key !== active) };
}

export function sessionKeysSecret(keys: readonly SessionKey[]): Secret {
  const stored = keys.map(({ id, key, sinceMs }) => ({
    id,
    key: Buffer.from(key).toString('base64url'),
    since: new Date(sinceMs).toISOString(),
  }));
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: SESSION_KEYS_SECRET, namespace: SYSTEM_NAMESPACE },
    type: SESSION_KEYS_TYPE,
    data: { [SECRET_ENTRY]: Buffer.from(JSON.stringify(stored)).toString('base64') },
  };
}

/** Throws an Error with advice if the Secret is invalid, such as after a manual edit. */
export function parseSessionKeys(secret: Secret): readonly SessionKey[] {
  try {
    const stored = Stored.parse(JSON.parse(Buffer.from(secret.data?.[SECRET_ENTRY] ?? '', 'base64').toString()));
    return stored
      .map(({ id, key, since }) => {
        const bytes = Buffer.from(key, 'base64url');
        if (bytes.length !== KEY_BYTES)
          throw new Error(`the key ${id} has ${bytes.length} bytes instead of ${KEY_BYTES}`);
        return { id, key: bytes, sinceMs: Date.parse(since) };
      })
      .sort((a, b) => b.sinceMs - a.sinceMs);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const what = `Secret ${SYSTEM_NAMESPACE}/${SESSION_KEYS_SECRET}, entry ${SECRET_ENTRY}: ${reason}`;
    throw new Error(`${what}; delete the Secret to have it recreated, which signs out all users of the console`, {
      cause: error,
    });
  }
}
