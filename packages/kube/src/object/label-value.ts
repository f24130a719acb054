import { createHash } from 'node:crypto';
import { trimmedEnd, trimmedStart } from '@fairway/base/trim';

const MAX_LENGTH = 63;
/** Not allowed at the ends of a label. */
const PUNCTUATION = '-_.';

/**
 * The label value for a name from the cloud: a flavor, a zone, a region. Invalid characters become dashes, at most 63 are kept, and both ends are
 * letters or digits. A name without any valid character becomes a hash, which keeps zones distinct. Idempotent; empty only for an empty name.
 */
export function labelValue(name: string): string {
  const clean = name.replace(/[^-a-zA-Z0-9_.]+/g, '-');
  const label = trimmedEnd(trimmedStart(clean, PUNCTUATION).slice(0, MAX_LENGTH), PUNCTUATION);
  if (label !== '' || name === '') return label;
  return `x-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

/** The names with this label; several if their labels collide. */
export function namesWithLabel(label: string, names: Iterable<string>): readonly string[] {
  const normalized = labelValue(label);
  return [...new Set(names)].filter((name) => labelValue(name) === normalized);
}
