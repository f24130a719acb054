import { createHash } from 'node:crypto';
import { nameProblem } from '@fairway/api/names';

const HASH_CHARS = 5;

/**
 * The name of the object for a name that Magnum's API allows, which may be longer and has capitals, "_" and ".": the same if it may be, else one that is
 * like it and has a hash of it, so that two that are alike differ. Pure.
 */
export function objectName(name: string, maxLength: number): string {
  if (nameProblem(name, maxLength) === undefined) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARS);
  const like = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '');
  const start = like.slice(0, maxLength - HASH_CHARS - 1).replace(/-+$/, '');
  return `${start === '' ? 'c' : start}-${hash}`;
}

const GREEK = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta', 'iota', 'kappa', 'lambda', 'mu'];

/** For a cluster that is given none: `zeta-22-cluster`. */
export function generatedName(random: () => number): string {
  const letter = GREEK[Math.floor(random() * GREEK.length)] ?? 'alpha';
  return `${letter}-${Math.floor(random() * 1000)}-cluster`;
}
