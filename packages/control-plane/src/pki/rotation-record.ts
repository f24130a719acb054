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
 * The stage of the rotation of a cluster's certificate authorities, and the processed requests. It is stored together
 * with the authorities, so that one write changes both and no request is processed twice.
 *
 * - `Stable`: one authority for each purpose.
 * - `Trusting`: the next authorities exist. They sign nothing until the API server and its controllers trust them.
 * - `Renewing`: the next authorities sign all client credentials: certificates of users, components and kubelets, and
 *   service account tokens. Serving certificates are still signed by the previous authorities, because nodes trust
 *   the next ones only once they are updated.
 * - `Completing`: the previous authorities are removed, and the control plane switches completely to the next ones.
 */
export type RotationRecord = z.infer<typeof rotationRecord>;

/**
 * The record of authorities that have never been rotated. `since`: RFC 3339, start of the stage; empty for the first.
 * `generation`: counts rotations; a machine's credentials carry the generation at which it was installed. `request`:
 * the last processed request. `revocation`: the same for kubeconfigs, with its date in `revoked`.
 */
export const NEVER_ROTATED: RotationRecord = { stage: 'Stable', since: '', generation: 0 };

/** Throws an error for users if the text is not a valid record. */
export function parseRotationRecord(json: string | undefined): RotationRecord {
  return json === undefined ? NEVER_ROTATED : rotationRecord.parse(JSON.parse(json));
}
