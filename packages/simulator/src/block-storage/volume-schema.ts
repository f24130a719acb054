import { z } from 'zod';

const MAX_SIZE = 2 ** 31 - 1;

/** A name or description, with surrounding whitespace removed. */
export const Label = z.string().max(255).nullish();
export const Flag = z.union([
  z.boolean(),
  z.enum(['True', 'TRUE', 'true', '1', 'ON', 'On', 'on', 'YES', 'Yes', 'yes', 'y', 't']),
  z.enum(['False', 'FALSE', 'false', '0', 'OFF', 'Off', 'off', 'NO', 'No', 'no', 'n', 'f']),
]);

export const Uuid = z.string().refine(isUuid, { error: (issue) => `'${String(issue.input)}' is not a 'uuid'` });

const Text = z.string().max(255);
/** Cinder rejects empty keys and keys with characters other than letters, digits, space and `-_:./`. */
export const Metadata = z.record(z.string(), Text).superRefine((metadata, context) => {
  const invalidKeys = Object.keys(metadata).filter((key) => !/^[a-zA-Z0-9\-_:. /]{1,255}$/.test(key));
  if (invalidKeys.length === 0) return;
  const verb = invalidKeys.length === 1 ? 'does' : 'do';
  const keys = invalidKeys.map((key) => `'${key}'`).join(', ');
  context.addIssue({
    code: 'custom',
    message: `${keys} ${verb} not match any of the regexes: '^[a-zA-Z0-9-_:. /]{1,255}$'`,
  });
});

export const Size = z.union([
  z.int().min(1).max(MAX_SIZE),
  z
    .string()
    .regex(/^[0-9]+$/)
    .refine((text) => Number(text) >= 1 && Number(text) <= MAX_SIZE),
]);

const known = {
  name: Label,
  description: Label,
  display_name: Label,
  display_description: Label,
  volume_type: Text.nullish(),
  metadata: Metadata.nullish(),
  snapshot_id: Uuid.nullish(),
  source_volid: Uuid.nullish(),
  consistencygroup_id: Uuid.nullish(),
  group_id: Text.nullish(),
  backup_id: Uuid.nullish(),
  size: Size.nullish(),
  availability_zone: Text.min(1).nullish(),
  multiattach: Flag.nullish(),
  image_id: Text.nullish(),
  imageRef: Text.nullish(),
};

/** Since this microversion, unknown fields are rejected. */
const STRICT_MICROVERSION = 53;

/** The request schema of `POST /volumes` at a microversion. */
export function createVolumeSchema(microversion: number) {
  return z.strictObject({
    volume: microversion >= STRICT_MICROVERSION ? z.strictObject(known) : z.object(known),
    'OS-SCH-HNT:scheduler_hints': z.record(z.string(), z.unknown()).nullish(),
  });
}

export const UpdateVolume = z.strictObject({
  volume: z.strictObject({
    name: Label,
    description: Label,
    display_name: Label,
    display_description: Label,
    metadata: Metadata.optional(),
  }),
});

export function isSet(flag: z.infer<typeof Flag> | null | undefined): boolean {
  return flag === true || ['true', '1', 'on', 'yes', 'y', 't'].includes(String(flag).toLowerCase());
}

export function trimmed(text: string | null | undefined): string | null {
  return text == null ? null : text.trim();
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text);
}
