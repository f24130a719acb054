import { z } from 'zod';

/** What a backup calls itself in its first line. */
export const FORMAT = 'fairway-backup';
/** Raised when a reader of before would take a new file wrongly. */
export const FORMAT_VERSION = 1;

const base64 = (bytes: number) =>
  z.string().refine((text) => Buffer.from(text, 'base64').length === bytes, `must be ${bytes} bytes in base64`);

/** RFC 7914; the limits keep a file that somebody made up from taking all memory. */
const scrypt = z.object({
  name: z.literal('scrypt'),
  N: z
    .int()
    .min(2 ** 14)
    .max(2 ** 20),
  r: z.int().min(1).max(16),
  p: z.int().min(1).max(16),
  salt: base64(16),
});

const encryption = z.object({ cipher: z.literal('aes-256-gcm'), kdf: scrypt, nonce: base64(12) });

/** All of the first line that is known before the payload is; the cipher vouches for it too. */
export const preambleSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  /** Another for every backup. */
  id: z.uuid(),
  createdAt: z.iso.datetime(),
  /** Version of the Fairway that wrote it. */
  fairway: z.string(),
  compression: z.enum(['gzip', 'none']),
  encryption: encryption.nullable(),
});

export const headerSchema = preambleSchema.extend({
  /** What follows the line: its length in bytes, and the SHA-256 in hexadecimal. */
  payload: z.object({ bytes: z.int().min(0), sha256: z.hex().length(64) }),
});

export type Preamble = Readonly<z.infer<typeof preambleSchema>>;
export type Header = Readonly<z.infer<typeof headerSchema>>;

/** Of any version: what tells a backup from another file, and an old reader from a new file. */
export const anyHeaderSchema = z.looseObject({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  fairway: z.string().optional(),
});
