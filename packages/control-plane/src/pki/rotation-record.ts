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
 * How far the rotation of a cluster's roots is, and which requests have been followed; stored with the roots themselves, so that one write changes both, and no
 * request is followed twice.
 *
 * - `Stable`: one of each.
 * - `Trusting`: the next ones exist. They sign nothing before the API server and its controllers trust them.
 * - `Renewing`: the next ones sign what clients show: certificates of users, components and kubelets, and service accounts' tokens. What servers show is still
 *   signed by the former one, because nodes don't know the next one before they are renewed.
 * - `Completing`: the former ones are gone, and the control plane takes over the rest.
 */
export type RotationRecord = z.infer<typeof rotationRecord>;

/**
 * Of roots that were never rotated. `since`: RFC 3339, of the stage; empty for the first. `generation`: counts rotations, and what a machine is installed with
 * is as old as the one that it was installed in. `request`: the last one that was followed. `revocation`: likewise of kubeconfigs, which `revoked` dates.
 */
export const NEVER_ROTATED: RotationRecord = { stage: 'Stable', since: '', generation: 0 };

/** Throws an error for people if the text is not a record. */
export function parseRotationRecord(json: string | undefined): RotationRecord {
  return json === undefined ? NEVER_ROTATED : rotationRecord.parse(JSON.parse(json));
}
