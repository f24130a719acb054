import { createHmac } from 'node:crypto';
import type { World } from '../world.ts';
import type { User } from './records.ts';

const PERIOD_MS = 30_000;
const DIGITS = 6;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * Whether the text is a valid passcode for one of the user's secrets, now or one period ago, because Keystone's
 * `included_previous_windows` is 1.
 */
export function isPasscodeOf(world: World, user: User, passcode: string): boolean {
  const secrets = world.tables.userCredentials.where((c) => c.userId === user.id && c.type === 'totp');
  const now = world.clock.now();
  return secrets.some(({ blob }) => [now, now - PERIOD_MS].some((atMs) => totp(blob, atMs) === passcode));
}

/**
 * The passcode according to RFC 6238 with SHA-1, six digits and a period of 30 seconds. The secret is in base32 without
 * padding.
 */
export function totp(secret: string, atMs: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / PERIOD_MS)));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  const code = (digest.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return String(code).padStart(DIGITS, '0');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text.toUpperCase().replace(/=+$/, ''), (letter) =>
    ALPHABET.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
