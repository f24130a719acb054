import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';

/** `status.credentials` of a Cluster. */
export const credentialsStatus = z
  .object({
    phase: z
      .enum(['Stable', 'Preparing', 'Prepared', 'Completing'])
      .optional()
      .describe(
        'Phase of the rotation. Stable: no rotation is in progress. Preparing: new authorities are created and nodes are replaced so that they trust both. Prepared: everything trusts both, and the rotation waits for the annotation fairway.dev/complete-rotation. Completing: the old authorities are removed.',
      ),
    since: timestamp().optional().describe('Time when this phase started.'),
    rotation: z
      .string()
      .max(256)
      .optional()
      .describe(
        'Value of the annotation fairway.dev/rotate-credentials that was last processed. fairway.dev/complete-rotation with the same value completes the rotation.',
      ),
    generation: int32()
      .optional()
      .describe('Number of rotations that nodes must have followed. Absent before the first rotation.'),
    nodes: z
      .object({
        total: int32().describe('Number of Machines, including those that are being deleted.'),
        renewed: int32().describe('Number of Machines that trust the new authorities.'),
      })
      .optional()
      .describe('Progress of the nodes while a rotation is prepared.'),
    caNotAfter: timestamp().describe("Time when the first of the cluster's certificate authorities expires."),
    certificatesNotAfter: timestamp()
      .optional()
      .describe(
        'Time when the first of the certificates of the control plane components expires. These certificates are renewed when a third of their lifetime is left. Absent if the runtime does not report it.',
      ),
    revocation: z
      .object({
        requested: z
          .string()
          .max(256)
          .describe('Value of the annotation fairway.dev/revoke-kubeconfigs that was last processed.'),
        time: timestamp()
          .optional()
          .describe(
            'Time when the revocation took effect: kubeconfigs issued before this time are invalid. Absent if no kubeconfigs had been issued.',
          ),
      })
      .optional()
      .describe('Last revocation of all kubeconfigs.'),
  })
  .describe('Certificate authorities and keys of the cluster: rotation, expiry and revocation.');

export type CredentialsStatus = z.infer<typeof credentialsStatus>;
