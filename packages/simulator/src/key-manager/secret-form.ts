import { z } from 'zod';
import { pythonRepr } from '../http/parse-body.ts';
import { Integer, mismatch, NullableText } from './body.ts';
import { decodeBase64, MAX_SECRET_BYTES, payloadType, SUPPORTED_TYPES } from './payload.ts';
import { refuse } from './problem.ts';
import { type Payload, SECRET_TYPES } from './records.ts';
import { parseIsoTime } from './times.ts';

const Text = z.string().max(255);
const BitLength = Integer.pipe(z.number().min(1).max(32_767));

/** Unknown fields in secrets are ignored, as in Barbican. */
export const SecretForm = z.object({
  name: NullableText.optional(),
  algorithm: Text.optional(),
  mode: Text.optional(),
  bit_length: BitLength.optional(),
  expiration: Text.optional(),
  payload: z.string().optional(),
  secret_type: z.enum(SECRET_TYPES).optional(),
  payload_content_type: NullableText.optional(),
  payload_content_encoding: z.enum(['base64']).optional(),
  transport_key_needed: z.enum(['true', 'false']).optional(),
  transport_key_id: z.string().optional(),
});
type SecretFields = z.infer<typeof SecretForm>;

export interface CheckedSecret {
  readonly expirationMs: number | null;
  readonly payload: Payload | null;
}

/**
 * Checks the combination of fields; `form` is the schema's name in messages. In an order, a content type does not
 * require a payload.
 */
export function checkSecret(fields: SecretFields, nowMs: number, form: string, isOrder = false): CheckedSecret {
  const expirationMs = expirationOf(fields, nowMs, form);
  const { payload_content_type: type } = fields;
  if (fields.payload !== undefined) return { expirationMs, payload: payloadOf(fields, form) };
  if (type !== undefined && !isOrder) {
    throw mismatch(form, 'payload must be provided when payload_content_type is specified', 'payload');
  }
  if (type != null) requireSupportedType(type, form);
  return { expirationMs, payload: null };
}

function expirationOf({ expiration }: SecretFields, nowMs: number, form: string): number | null {
  if (expiration === undefined || expiration === '') return null;
  const ms = parseIsoTime(expiration);
  if (ms === undefined) throw mismatch(form, "Invalid date for 'expiration'", 'expiration');
  if (ms <= nowMs) throw mismatch(form, "'expiration' is before current time", 'expiration');
  return ms;
}

function requireSupportedType(type: string, form: string): NonNullable<ReturnType<typeof payloadType>> {
  const supported = payloadType(type);
  if (supported !== undefined) return supported;
  throw mismatch(form, `payload_content_type is not one of ${pythonRepr(SUPPORTED_TYPES)}`, 'payload_content_type');
}

function payloadOf(fields: SecretFields, form: string): Payload {
  const { payload: text = '', payload_content_type: type, payload_content_encoding: encoding } = fields;
  if (type == null) {
    throw mismatch(
      form,
      "If 'payload' is supplied, 'payload_content_type' must also be supplied.",
      'payload_content_type',
    );
  }
  const contentType = requireSupportedType(type, form);
  if ((contentType === 'text/plain') !== (encoding === undefined)) {
    const encodings = contentType === 'text/plain' ? 'None' : "['base64', 'binary']";
    throw mismatch(form, `payload_content_encoding is not one of ${encodings}`, 'payload_content_encoding');
  }
  if (Buffer.byteLength(text) > MAX_SECRET_BYTES) throw refuse(413, 'Provided information too large to process');
  if (text === '') throw mismatch(form, "If 'payload' specified, must be non empty", 'payload');
  if (encoding === undefined) return { contentType, base64: Buffer.from(text).toString('base64') };
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw mismatch(form, 'Invalid payload for payload_content_encoding', 'payload');
  return { contentType, base64: bytes.toString('base64') };
}
