import { createHash } from 'node:crypto';

/** On every object of an add-on: of what it was made, so that a field is noticed that is no longer part of it. */
export const REVISION_ANNOTATION = 'fairway.dev/addon-revision';
/** On pods: of their configuration, so that they are renewed with it. */
export const CONFIG_ANNOTATION = 'fairway.dev/addon-config';

/** Differs where the value differs. */
export function revisionOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
