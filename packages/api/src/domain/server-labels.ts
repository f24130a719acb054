import type { FieldError } from '@fairway/kube/object/field-error';
import type { NodePoolSpec } from '../kinds/node-pool.ts';

/** Characters that Nova allows in metadata keys. */
const KEY_PATTERN = /^[A-Za-z0-9-_:. ]{1,255}$/;
/** Less than Nova's default maximum of 128, because Fairway adds some items itself. */
const MAX_METADATA_KEYS = 64;
/** Tags by which Fairway finds its servers. Databases may compare strings case-insensitively. */
const OWN_TAG_PATTERN = /^fairway(-|$)/i;
const OWN_KEY_PATTERN = /^fairway\.dev/i;

/** Problems with a pool's server tags and metadata that its schema does not detect. */
export function serverLabelErrors({ serverTags = [], serverMetadata = {} }: NodePoolSpec): FieldError[] {
  const keys = Object.keys(serverMetadata);
  if (keys.length > MAX_METADATA_KEYS) {
    const detail = `must have at most ${MAX_METADATA_KEYS} items, but has ${keys.length}`;
    return [{ type: 'FieldValueInvalid', field: 'spec.serverMetadata', value: `${keys.length} of them`, detail }];
  }
  return [
    ...serverTags.flatMap((tag, index): FieldError[] => {
      const field = `spec.serverTags[${index}]`;
      if (OWN_TAG_PATTERN.test(tag)) return [reserved(field, 'tags "fairway" and "fairway-…"')];
      return isDuplicate(serverTags, index) ? [duplicateError(field, tag)] : [];
    }),
    ...keys.flatMap((key, index): FieldError[] => {
      const field = `spec.serverMetadata[${key.slice(0, 255)}]`;
      if (!KEY_PATTERN.test(key)) {
        const detail = 'must have a key of 1 to 255 letters, digits, spaces and "-", "_", ":", "."';
        return [{ type: 'FieldValueInvalid', field: 'spec.serverMetadata', value: key.slice(0, 255), detail }];
      }
      if (OWN_KEY_PATTERN.test(key)) return [reserved(field, 'keys that start with "fairway.dev"')];
      return isDuplicate(keys, index) ? [duplicateError(field, key)] : [];
    }),
  ];
}

function isDuplicate(words: readonly string[], index: number): boolean {
  const word = words[index]?.toLowerCase();
  return words.slice(0, index).some((other) => other.toLowerCase() === word);
}

function reserved(field: string, what: string): FieldError {
  return { type: 'FieldValueForbidden', field, detail: `${what} are reserved for Fairway: choose another one` };
}

function duplicateError(field: string, value: string): FieldError {
  const detail = 'differs from an earlier one only in case, which some clouds ignore: choose one of them';
  return { type: 'FieldValueInvalid', field, value, detail };
}
