import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';

/** What the server is installed from. */
const installation = {
  image: z.string().describe('ID of the image that is installed.'),
  version: z.string().describe('Kubernetes version that is installed.'),
  authorityGeneration: int32()
    .optional()
    .describe('Value of spec.authorityGeneration at the time of the installation.'),
  reinstallTime: timestamp().optional().describe('Value of spec.reinstallTime at the time of the installation.'),
  settingsDigest: z
    .string()
    .max(64)
    .optional()
    .describe('Digest of spec.nodeSettings at the time of the installation. Absent if spec.nodeSettings was empty.'),
};

/** Written once the machine has a server, and again when the cloud has rebuilt that server. */
export const machineInstalled = z
  .object({
    serverID: z.string().describe('ID of the server.'),
    ...installation,
    canReinstall: z
      .literal(false)
      .optional()
      .describe(
        'False if the cloud cannot reinstall the volume from which the server boots; the machine must then be replaced.',
      ),
  })
  .describe("What is installed on the server's disk. If this differs from the spec, the server must be reinstalled.");

/** Present from when the decision is made until the node is Ready again, so the controller can resume after a crash. */
export const reinstall = z
  .object({
    ...installation,
    startTime: timestamp().describe('Time when the reinstallation started; the drain timeout counts from then.'),
    wasCordoned: z.boolean().describe('Whether the node was already cordoned, in which case it stays cordoned.'),
    requestedTime: timestamp().optional().describe('Time from which the cloud may have received the request.'),
    bootID: z
      .string()
      .max(64)
      .optional()
      .describe('Previous boot ID of the node: a node that still has it has not been reinstalled.'),
    acceptedTime: timestamp().optional().describe('Time when the cloud accepted the request.'),
  })
  .describe('Reinstallation of the server that is in progress.');

export type MachineInstallation = z.infer<typeof machineInstalled>;
export type MachineReinstall = z.infer<typeof reinstall>;
