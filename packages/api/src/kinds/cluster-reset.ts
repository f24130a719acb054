import { z } from 'zod';
import { requestTime, timestamp } from '../schema/scalars.ts';

const nodes = () => z.enum(['Delete', 'Reinstall']);

/** `spec.reset` of a Cluster. */
export const resetSpec = z
  .object({
    requestedAt: requestTime().describe(
      'A time later than that of the last reset requests one reset. It has no effect on a new cluster.',
    ),
    confirm: z.string().max(63).describe('Name of the cluster, to confirm that everything in it is deleted.'),
    nodes: nodes()
      .default('Delete')
      .describe(
        'How nodes are reset. Delete: the machines are deleted first, and the pools create new ones. Reinstall: the same servers are reinstalled with their addresses once the control plane is empty; their pods keep running until then.',
      ),
  })
  .describe(
    'Reset to an empty cluster of the same name, UID and endpoint. Everything in its database and all of its credentials are deleted. In the same change, spec.version can be set to any version that is available for new clusters.',
  );

/** `status.reset` of a Cluster. */
export const resetStatus = z
  .object({
    requestedAt: z.string().max(35).describe('Value of spec.reset.requestedAt that was last processed.'),
    phase: z
      .enum(['RemovingNodes', 'EmptyingControlPlane', 'Starting', 'Complete'])
      .describe(
        'Phase of the reset. RemovingNodes: the machines are deleted. EmptyingControlPlane: the database and certificates are deleted. Starting: the empty control plane starts, and nodes join it.',
      ),
    since: timestamp().describe('Time when this phase started.'),
    startTime: timestamp().optional().describe('Time when the reset started. Absent if there was nothing to reset.'),
    nodes: nodes().describe('Value of spec.reset.nodes when the request was processed.'),
    version: z.string().max(16).optional().describe('Exact version with which the empty control plane starts.'),
    emptiedTime: timestamp()
      .optional()
      .describe(
        'Time when the control plane was last emptied. Machines with a different spec.resetTime were created before the reset.',
      ),
  })
  .describe('Last reset that was processed, and its progress.');

export type ResetSpec = z.infer<typeof resetSpec>;
export type ResetStatus = z.infer<typeof resetStatus>;
