import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';

/** `status.credentials` of a Cluster. */
export const credentialsStatus = z
  .object({
    phase: z
      .enum(['Stable', 'Preparing', 'Prepared', 'Completing'])
      .optional()
      .describe(
        'How far a rotation is. Stable: there is none. Preparing: the next authorities are made, and nodes renewed so that they trust them too. Prepared: everything trusts both, and waits for the annotation fairway.dev/complete-rotation. Completing: the former ones go.',
      ),
    since: timestamp().optional().describe('Since when it is in this phase.'),
    rotation: z
      .string()
      .max(256)
      .optional()
      .describe(
        'The value of the annotation fairway.dev/rotate-credentials that was followed last. With the same value, fairway.dev/complete-rotation completes it.',
      ),
    generation: int32()
      .optional()
      .describe('How often the authorities have been rotated, as far as nodes are to know. Absent: never.'),
    nodes: z
      .object({
        total: int32().describe('Machines, those that are leaving included.'),
        renewed: int32().describe('Those that trust the next authorities.'),
      })
      .optional()
      .describe('Nodes, while a rotation is prepared.'),
    caNotAfter: timestamp().describe("When the first of the cluster's certificate authorities ends."),
    certificatesNotAfter: timestamp()
      .optional()
      .describe(
        "When the first certificate of the control plane's programs ends, its API server's among them. They are renewed with a third of their time left. Absent where the runtime does not tell.",
      ),
    revocation: z
      .object({
        requested: z
          .string()
          .max(256)
          .describe('The value of the annotation fairway.dev/revoke-kubeconfigs that was followed last.'),
        time: timestamp()
          .optional()
          .describe('When it was in effect: no kubeconfig from before is valid. Absent where none had been issued.'),
      })
      .optional()
      .describe('The last revocation of all kubeconfigs.'),
  })
  .describe('Certificate authorities and keys of the cluster: their rotation, their end, and revocations.');

export type CredentialsStatus = z.infer<typeof credentialsStatus>;
