import { createHash } from 'node:crypto';
import { nameProblem } from '@fairway/api/names';
import { trimmedEnd } from '@fairway/base/trim';

const HASH_CHARS = 5;

/**
 * The object name for a name that Magnum's API allows, which may be longer and contain capitals, "_" and ".". A valid
 * name is unchanged; otherwise the result is a similar name with a hash, so that similar names stay distinct. Pure.
 */
export function objectName(name: string, maxLength: number): string {
  if (nameProblem(name, maxLength) === undefined) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARS);
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '');
  const start = trimmedEnd(slug.slice(0, maxLength - HASH_CHARS - 1), '-');
  return `${start === '' ? 'c' : start}-${hash}`;
}

const GREEK_LETTERS = [
  'alpha',
  'beta',
  'gamma',
  'delta',
  'epsilon',
  'zeta',
  'eta',
  'theta',
  'iota',
  'kappa',
  'lambda',
  'mu',
];

/** The name of a cluster that was created without one: `zeta-22-cluster`. */
export function generatedName(random: () => number): string {
  const letter = GREEK_LETTERS[Math.floor(random() * GREEK_LETTERS.length)] ?? 'alpha';
  return `${letter}-${Math.floor(random() * 1000)}-cluster`;
}
