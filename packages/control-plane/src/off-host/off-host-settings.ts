import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Clock } from '@fairway/base/clock';
import { load } from 'js-yaml';
import { z } from 'zod';
import type { ObjectStore } from './object-store.ts';
import { type S3Credentials, S3Store } from './s3-store.ts';
import { SnapshotArchive } from './snapshot-archive.ts';

const MIN_PASSPHRASE_LENGTH = 12;

const settingsSchema = z.strictObject({
  s3: z.strictObject({
    endpoint: z.url({ protocol: /^https?$/ }),
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,62}$/, 'must be a valid bucket name'),
    region: z.string().min(1).max(63).default('us-east-1'),
    credentialsFile: z.string().min(1),
    certificateAuthorityFile: z.string().min(1).optional(),
  }),
  prefix: z
    .string()
    .regex(/^([A-Za-z0-9._-]+\/)*$/, 'must end with a slash, such as fairway/')
    .max(200)
    .default('fairway/'),
  passphraseFile: z.string().min(1),
});

const credentialsSchema = z.strictObject({
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1).optional(),
});

/** Off-host storage of this Fairway installation. */
export interface OffHost {
  readonly store: ObjectStore;
  readonly passphrase: string;
  readonly snapshots: SnapshotArchive;
}

/**
 * Opens the storage that a YAML file describes; paths in the file are relative to its directory. Throws an Error that
 * names the file and the field.
 */
export function openOffHost(path: string, clock: Clock): OffHost {
  const settings = parse(path, settingsSchema);
  const resolveSibling = (file: string) => resolve(dirname(path), file);
  const { credentialsFile, certificateAuthorityFile, ...location } = settings.s3;
  const credentials = (): S3Credentials => parse(resolveSibling(credentialsFile), credentialsSchema);
  credentials();
  const passphrase = read(resolveSibling(settings.passphraseFile)).replace(/\r?\n$/, '');
  if (passphrase.length < MIN_PASSPHRASE_LENGTH) {
    throw new Error(
      `${resolveSibling(settings.passphraseFile)}: the passphrase must have at least ${MIN_PASSPHRASE_LENGTH} characters: generate one with "openssl rand -base64 24"`,
    );
  }
  const store = new S3Store({
    ...location,
    prefix: settings.prefix,
    credentials,
    certificateAuthority: certificateAuthorityFile && read(resolveSibling(certificateAuthorityFile)),
    clock,
  });
  return { store, passphrase, snapshots: new SnapshotArchive(store, passphrase) };
}

function parse<T>(path: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = load(read(path));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
  const parsed = schema.safeParse(value);
  // Never includes values: some are secret.
  if (!parsed.success) throw new Error(`${path}: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}
