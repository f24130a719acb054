import { z } from 'zod';
import { requestTime, timestamp } from '../schema/scalars.ts';

const nodes = () => z.enum(['Delete', 'Reinstall']);

/** `spec.reset` of a Cluster. */
export const resetSpec = z
  .object({
    requestedAt: requestTime().describe(
      'A later time than the last asks for a reset, once. A cluster that is new has nothing to reset.',
    ),
    confirm: z
      .string()
      .max(63)
      .describe("The cluster's name: whoever writes it knows that everything in the cluster goes."),
    nodes: nodes()
      .default('Delete')
      .describe(
        'Delete: the machines go first, and the pools make new ones. Reinstall: the same servers are installed anew, with their addresses, once the control plane is empty; their pods run on until then.',
      ),
  })
  .describe(
    'A reset to an empty cluster of the same name, UID and endpoint. Everything in its database goes, and so do all its credentials. spec.version may be any that is offered to new clusters, if it is changed along with this.',
  );

/** `status.reset` of a Cluster. */
export const resetStatus = z
  .object({
    requestedAt: z.string().max(35).describe('spec.reset.requestedAt that was followed last.'),
    phase: z
      .enum(['RemovingNodes', 'EmptyingControlPlane', 'Starting', 'Complete'])
      .describe(
        'RemovingNodes: the machines are deleted. EmptyingControlPlane: database and certificates go. Starting: the empty control plane starts, and nodes join it.',
      ),
    since: timestamp().describe('Since when it is in this phase.'),
    startTime: timestamp().optional().describe('When the reset began; none if there was nothing to reset.'),
    nodes: nodes().describe('spec.reset.nodes at that time.'),
    version: z.string().max(16).optional().describe('Exact version that the empty control plane starts with.'),
    emptiedTime: timestamp()
      .optional()
      .describe(
        'When the control plane was last emptied. Machines that have another spec.resetTime belong to the cluster of before.',
      ),
  })
  .describe('The reset that was followed last, and how far it is.');

export type ResetSpec = z.infer<typeof resetSpec>;
export type ResetStatus = z.infer<typeof resetStatus>;
