import { createHash } from 'node:crypto';

/** Generates identifiers in each service's format, from the injected random source. */
export interface Ids {
  /** A version 4 UUID, as used by Nova, Neutron and Glance. */
  uuid(): string;
  /** 32 hexadecimal digits, as used by Keystone. */
  hex(): string;
  /** A MAC address with Neutron's default prefix fa:16:3e. */
  mac(): string;
  /** `length` characters of A-Z, a-z, 0-9. */
  secret(length: number): string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * `startCount` is the number of earlier starts of the cloud with the same state. A seeded random source starts over
 * at each start, but must not generate the same IDs again.
 */
export function createIds(random: () => number, startCount = 0): Ids {
  function hexDigits(count: number): string {
    let digits = '';
    while (digits.length < count) {
      digits += Math.floor(random() * 0x1000000)
        .toString(16)
        .padStart(6, '0');
    }
    if (startCount > 0) digits = createHash('sha256').update(`${startCount} ${digits}`).digest('hex');
    return digits.slice(0, count);
  }
  return {
    uuid() {
      const h = hexDigits(32);
      const variant = '89ab'[Number.parseInt(h[16] ?? '0', 16) & 3];
      return `${h.slice(0, 8)}-${h.slice(8, 12)}-4${h.slice(13, 16)}-${variant}${h.slice(17, 20)}-${h.slice(20)}`;
    },
    hex: () => hexDigits(32),
    mac() {
      const h = hexDigits(6);
      return `fa:16:3e:${h.slice(0, 2)}:${h.slice(2, 4)}:${h.slice(4, 6)}`;
    },
    secret(length) {
      let text = '';
      for (let i = 0; i < length; i++) text += LETTERS[Math.floor(random() * LETTERS.length)] ?? 'A';
      return text;
    },
  };
}
