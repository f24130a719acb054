import { z } from 'zod';
import { formatCidr, parseCidr, parseIp } from '../network/cidr.ts';

/* The types of WSME and Octavia, with their messages. Every field may be null: null does not count as missing. */

export function text(max = 255): z.ZodType<string> {
  return z.string('Value should be string').max(max, `Value should have a maximum character requirement of ${max}`);
}

export function matching(pattern: RegExp, max = 255): z.ZodType<string> {
  return text(max).refine((value) => pattern.test(value), `Value should match the pattern ${pattern.source}`);
}

export function oneOf<const V extends readonly [string, ...string[]]>(values: V): z.ZodEnum<{ [K in V[number]]: K }> {
  return z.enum(values, `Value should be one of: ${values.join(', ')}`);
}

/** A string of only digits is read as a number. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): z.ZodType<number> {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value),
    z
      .int(`invalid literal for int() with base 10`)
      .min(min, `Value should be greater or equal to ${min}`)
      .max(max, `Value should be lower or equal to ${max}`),
  );
}

const FLAG_TEXTS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  yes: true,
  y: true,
  on: true,
  '1': true,
  false: false,
  f: false,
  no: false,
  n: false,
  off: false,
  '0': false,
};

export const Flag = z.preprocess(
  (value) =>
    typeof value === 'number' ? value !== 0 : typeof value === 'string' ? (FLAG_TEXTS[value] ?? value) : value,
  z.boolean('Value not an unambiguous boolean'),
);

export const Uuid = z
  .string('Value should be UUID format')
  .regex(/^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i, 'Value should be UUID format');

export const Address = z
  .string('Value should be IPv4 or IPv6 format')
  .refine((value) => parseIp(value) !== undefined, 'Value should be IPv4 or IPv6 format');

/** Host bits of the CIDRs are cleared. */
export const Cidrs = z.array(
  z.string('Value should be IPv4 or IPv6 CIDR format').transform((value, context) => {
    const cidr = parseCidr(value);
    if (cidr !== undefined) return formatCidr(cidr);
    context.addIssue('Value should be IPv4 or IPv6 CIDR format');
    return z.NEVER;
  }),
);

export const Port = integer(1, 65_535);
export const Tags = z.array(text());
export const Texts = (max: number): z.ZodType<string[]> => z.array(text(max));

/** Fields that every object in a tree has. */
export const common = { name: text().nullish(), admin_state_up: Flag.nullish(), tags: Tags.nullish() };

/**
 * Administrators may set the project, but the value is ignored, because an object belongs to the project of its load
 * balancer.
 */
export const owner = { project_id: text(36).nullish(), tenant_id: text(36).nullish() };
