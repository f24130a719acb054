import { z } from 'zod';

/** Format name in a backup's first line. */
export const FORMAT = 'fairway-backup';
/** Incremented when an older reader would misread a new file. */
export const FORMAT_VERSION = 1;

const base64 = (bytes: number) =>
  z.string().refine((text) => Buffer.from(text, 'base64').length === bytes, `must be ${bytes} bytes in base64`);

/** RFC 7914; the limits keep a crafted file from exhausting memory. */
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

/** The part of the first line that is known before the payload; the cipher authenticates it. */
export const preambleSchema = z.object({
  format: z.literal(FORMAT),
  version: z.literal(FORMAT_VERSION),
  /** Unique per backup. */
  id: z.uuid(),
  createdAt: z.iso.datetime(),
  /** Fairway version that wrote the backup. */
  fairway: z.string(),
  compression: z.enum(['gzip', 'none']),
  encryption: encryption.nullable(),
});

export const headerSchema = preambleSchema.extend({
  /** The payload after this line: its length in bytes, and its SHA-256 in hexadecimal. */
  payload: z.object({ bytes: z.int().min(0), sha256: z.hex().length(64) }),
});

export type Preamble = Readonly<z.infer<typeof preambleSchema>>;
export type Header = Readonly<z.infer<typeof headerSchema>>;

/** Common to all versions: distinguishes a backup from other files, and lets an old reader recognize a newer format. */
export const anyHeaderSchema = z.looseObject({
  format: z.literal(FORMAT),
  version: z.int().min(1),
  fairway: z.string().optional(),
});
