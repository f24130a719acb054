import { trimmedEnd } from '@fairway/base/trim';
import { z } from 'zod';
import { list, record } from './collections.ts';

/**
 * Barbican's data about a secret, without the payload; the reference is its only identifier.
 * https://docs.openstack.org/barbican/latest/api/reference/secrets.html
 */
export const KeySecret = z
  .object({
    secret_ref: z.string(),
    name: z.string().nullish(),
    /** `ACTIVE`, `PENDING` (while an order is processed), `ERROR`. */
    status: z.string(),
    created: z.string().nullish(),
    /** The user who created the secret; it cannot be changed. */
    creator_id: z.string().nullish(),
    /** Absent while the secret has no payload. */
    content_types: record(z.string()).nullish(),
  })
  .transform((secret) => ({ id: idOfReference(secret.secret_ref), ...secret }));
export type KeySecret = z.infer<typeof KeySecret>;

/** A group of secrets by role: `certificate`, `private_key`, `intermediates`. */
export const KeyContainer = z.object({
  container_ref: z.string(),
  /** `certificate`, `rsa`, `generic`. */
  type: z.string(),
  secret_refs: list(z.object({ name: z.string().nullish(), secret_ref: z.string() })).default([]),
});
export type KeyContainer = z.infer<typeof KeyContainer>;

/** A secret with a binary payload. Neither payload nor name can be changed. */
export interface KeySecretCreate {
  /** At most 255 characters. */
  readonly name: string;
  /** Base64; at most 20,000 characters unless the operator has set another limit. */
  readonly payload: string;
  readonly payload_content_type: 'application/octet-stream';
  readonly payload_content_encoding: 'base64';
}

function idOfReference(reference: string): string {
  return trimmedEnd(reference, '/').split('/').at(-1) ?? '';
}
