import { createHash } from 'node:crypto';

/** Annotation on every object in an add-on: a hash of its source, so that removed fields are noticed. */
export const REVISION_ANNOTATION = 'fairway.dev/addon-revision';
/** Annotation on pods: a hash of their configuration, so that changing it replaces them. */
export const CONFIG_ANNOTATION = 'fairway.dev/addon-config';

/** A hash of the value. */
export function revisionOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
