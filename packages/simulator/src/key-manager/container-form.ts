import { z } from 'zod';
import { mismatch, NullableText, unsupportedValue } from './body.ts';
import { idOf } from './lookup.ts';
import { CONTAINER_TYPES } from './records.ts';

export const ContainerForm = z.object({
  name: NullableText.optional(),
  type: z.enum(CONTAINER_TYPES),
  secret_refs: z.array(z.object({ name: NullableText.optional(), secret_ref: z.string().min(1) })).optional(),
});

export const ContainerSecretForm = z.object({ name: z.string().max(255).optional(), secret_ref: z.string().min(1) });

const FORM = 'Container';

/** Names that a container's secrets must have, by container type. */
const CONTAINER_NAMES = {
  rsa: {
    required: ['public_key', 'private_key'],
    optional: ['private_key_passphrase'],
    unknown: "only 'private_key', 'public_key' and 'private_key_passphrase' reference names are allowed for RSA type",
    missing: "The minimum required reference names are 'public_key' and'private_key' for RSA type",
  },
  certificate: {
    required: ['certificate'],
    optional: ['private_key', 'private_key_passphrase', 'intermediates'],
    unknown:
      "only 'private_key', 'certificate' , 'private_key_passphrase',  or 'intermediates' reference names are allowed for Certificate type",
    missing: "The minimum required reference name is 'certificate' for Certificate type",
  },
} as const;

/** Validates the secrets of a new container. `root` is the service's URL, which is the prefix of references. */
export function checkContainer({ type, secret_refs: refs = [] }: z.infer<typeof ContainerForm>, root: string): void {
  if (refs.length === 0) return;
  const names = new Set(refs.map(({ name }) => name ?? ''));
  if (names.size < refs.length) throw bad('Duplicate reference names are not allowed');
  if (new Set(refs.map(({ secret_ref }) => idOf(secret_ref))).size < refs.length) {
    throw bad('Duplicate secret ids are not allowed');
  }
  if (refs.some(({ secret_ref }) => !secret_ref.startsWith(root))) throw unsupportedValue();
  if (type === 'generic') return;
  const { required, optional, unknown, missing } = CONTAINER_NAMES[type];
  const known: readonly string[] = [...required, ...optional];
  if ([...names].some((name) => !known.includes(name))) throw bad(unknown);
  if (required.some((name) => !names.has(name))) throw bad(missing);
}

function bad(reason: string): Error {
  return mismatch(FORM, reason, 'secret_refs');
}
