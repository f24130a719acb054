import { z } from 'zod';
import { schemaErrorOf } from '../http/parse-body.ts';
import { mismatch, unsupportedValue } from './body.ts';
import { refuse } from './problem.ts';
import { ORDER_TYPES } from './records.ts';
import { checkSecret, SecretForm } from './secret-form.ts';

export const OrderForm = z.object({ meta: z.record(z.string(), z.unknown()), type: z.enum(ORDER_TYPES) });

const ORDER_NAMES = { key: 'key', asymmetric: 'asymmetric key' } as const;

/** Specifies which keys to generate. */
export interface KeySpec {
  readonly name: string | null;
  readonly algorithm: string;
  readonly bitLength: number;
  readonly mode: string | null;
  readonly expirationMs: number | null;
  readonly passphrase: string | undefined;
}

/** Validates an order and returns the ordered keys; undefined for a certificate. */
export function checkOrder({ type, meta }: z.infer<typeof OrderForm>, nowMs: number): KeySpec | undefined {
  if (type === 'certificate') {
    checkCertificate(meta);
    return undefined;
  }
  const form = "Secret' within 'Order";
  const parsed = SecretForm.safeParse(meta, { reportInput: true });
  if (!parsed.success) {
    const { text, path } = schemaErrorOf(parsed.error, meta);
    throw mismatch(form, text, path[0]);
  }
  const { expirationMs } = checkSecret(parsed.data, nowMs, form, true);
  const { name, payload, algorithm, bit_length: bitLength, mode } = parsed.data;
  const bad = (reason: string): Error => mismatch('Order', reason, 'meta');
  if (payload !== undefined) throw bad(`'payload' not allowed for ${type} type order`);
  if (algorithm === undefined || algorithm === '') {
    throw bad(`'algorithm' is required field for ${ORDER_NAMES[type]} type order`);
  }
  if (bitLength === undefined) throw bad(`'bit_length' is required field for ${ORDER_NAMES[type]} type order`);
  if (bitLength % 8 !== 0) throw unsupportedValue();
  const { passphrase } = meta;
  return {
    name: name ?? null,
    algorithm,
    bitLength,
    mode: mode ?? null,
    expirationMs,
    passphrase: typeof passphrase === 'string' && passphrase !== '' ? passphrase : undefined,
  };
}

const REQUEST_TYPES = ['simple-cmc', 'full-cmc', 'stored-key', 'custom'];
const REQUIRED_META: Readonly<Record<string, readonly string[]>> = {
  'simple-cmc': ['request_data'],
  'stored-key': ['container_ref', 'subject_dn'],
};

function checkCertificate(meta: Readonly<Record<string, unknown>>): void {
  if (meta['payload'] != null) throw mismatch('Order', "'payload' not allowed for certificate type order", 'meta');
  if ('profile' in meta && !('ca_id' in meta)) throw missing('ca_id');
  const type = meta['request_type'] ?? 'custom';
  if (typeof type !== 'string' || !REQUEST_TYPES.includes(type)) throw refuse(400, 'Invalid Certificate Request Type');
  if (type === 'full-cmc') throw refuse(400, 'Full CMC Requests are not yet supported.');
  for (const field of REQUIRED_META[type] ?? []) if (meta[field] == null) throw missing(field);
}

function missing(field: string): Error {
  return refuse(400, `Missing required metadata field for ${field}`);
}
