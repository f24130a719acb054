import { generateKeyPairSync } from 'node:crypto';
import type { KeySpec } from './order-form.ts';
import { failureText, issueText } from './problem.ts';
import type { SecretType } from './records.ts';

/** The result: the bytes of each secret by its name in a container, or an error. */
export type GeneratedKey =
  | { readonly kind: 'key'; readonly bytes: Buffer }
  | { readonly kind: 'pair'; readonly parts: readonly { name: string; type: SecretType; bytes: Buffer }[] }
  | { readonly kind: 'error'; readonly status: number; readonly reason: string };

/** The algorithms and lengths, in bits, of Barbican's plugin `simple_crypto`. */
const SYMMETRIC_ALGORITHMS = ['aes', 'des', '3des', 'hmacsha1', 'hmacsha256', 'hmacsha384', 'hmacsha512'];
const SYMMETRIC_BITS = [64, 128, 192, 256];
const ASYMMETRIC_ALGORITHMS = ['rsa', 'dsa'];
const ASYMMETRIC_BITS = [1024, 2048, 4096];

/** Algorithms for which its adapter accepts orders. */
const ORDERABLE_ALGORITHMS = [
  'diffie_hellman',
  'dsa',
  'rsa',
  'ec',
  'aes',
  'des',
  'desede',
  ...SYMMETRIC_ALGORITHMS.slice(3),
];

const ORDER_OPERATION = 'Process TypeOrder';

export function generate(type: 'key' | 'asymmetric', spec: KeySpec, random: () => number): GeneratedKey {
  const algorithm = spec.algorithm.toLowerCase();
  if (!ORDERABLE_ALGORITHMS.includes(algorithm)) return refused('Secret generate supported plugin not found.');
  const algorithms = type === 'key' ? SYMMETRIC_ALGORITHMS : ASYMMETRIC_ALGORITHMS;
  if (!algorithms.includes(algorithm)) return refused('Requested algorithm is not supported');
  const factor = spec.mode?.toLowerCase() === 'xts' ? 2 : 1;
  const lengths = type === 'key' ? SYMMETRIC_BITS : ASYMMETRIC_BITS;
  if (!lengths.some((bits) => bits * factor === spec.bitLength)) return failed();
  if (type === 'key') {
    const bytes = Buffer.from(Array.from({ length: spec.bitLength / 8 }, () => Math.floor(random() * 256)));
    return { kind: 'key', bytes };
  }
  return algorithm === 'rsa' ? keyPair(spec) : failed();
}

function keyPair({ bitLength, passphrase }: KeySpec): GeneratedKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: bitLength,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: {
      type: 'pkcs8',
      format: 'pem',
      ...(passphrase !== undefined && { cipher: 'aes-256-cbc', passphrase }),
    },
  });
  return {
    kind: 'pair',
    parts: [
      { name: 'private_key', type: 'private', bytes: Buffer.from(privateKey) },
      { name: 'public_key', type: 'public', bytes: Buffer.from(publicKey) },
      ...(passphrase === undefined
        ? []
        : [{ name: 'private_key_passphrase', type: 'passphrase' as const, bytes: Buffer.from(passphrase) }]),
    ],
  };
}

function refused(reason: string): GeneratedKey {
  return { kind: 'error', status: 400, reason: issueText(ORDER_OPERATION, reason) };
}

function failed(): GeneratedKey {
  return { kind: 'error', status: 500, reason: failureText(ORDER_OPERATION) };
}
