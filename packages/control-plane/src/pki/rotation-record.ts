import { z } from 'zod';

const text = z.string().max(256);

const rotationRecord = z.object({
  stage: z.enum(['Stable', 'Trusting', 'Renewing', 'Completing']),
  since: text,
  generation: z.number().int().nonnegative(),
  request: text.optional(),
  revocation: text.optional(),
  revoked: text.optional(),
});

/**
 * The stage of the rotation of a cluster's roots, and the requests that were handled; stored with the roots themselves, so that
 * one write changes both, and no request is handled twice.
 *
 * - `Stable`: one of each.
 * - `Trusting`: the next ones exist. They sign nothing before the API server and its controllers trust them.
 * - `Renewing`: the next ones sign what clients present: certificates of users, components and kubelets, and service accounts'
 *   tokens. What servers present is still signed by the previous one, because nodes don't know the next one before they are
 *   renewed.
 * - `Completing`: the previous ones are removed, and the control plane takes over the rest.
 */
export type RotationRecord = z.infer<typeof rotationRecord>;

/**
 * The record of roots that were never rotated. `since`: RFC 3339, start of the stage; empty for the first. `generation`: counts
 * rotations; a machine's credentials are of the generation in which it was installed. `request`: the last one that was handled.
 * `revocation`: the same for kubeconfigs, with its date in `revoked`.
 */
export const NEVER_ROTATED: RotationRecord = { stage: 'Stable', since: '', generation: 0 };

/** Throws an error for users if the text is not a record. */
export function parseRotationRecord(json: string | undefined): RotationRecord {
  return json === undefined ? NEVER_ROTATED : rotationRecord.parse(JSON.parse(json));
}
