import { z } from 'zod';
import { int32, timestamp } from '../schema/scalars.ts';

/** What a server is installed from. */
const installation = {
  image: z.string().describe('Image, by id.'),
  version: z.string().describe('Kubernetes version.'),
  authorityGeneration: int32().optional().describe('spec.authorityGeneration at that time.'),
  reinstallTime: timestamp().optional().describe('spec.reinstallTime at that time.'),
};

/** Written when the machine has a server, and when the cloud has rebuilt it. */
export const installed = z
  .object({
    serverID: z.string().describe('Server that this is about.'),
    ...installation,
    canReinstall: z
      .literal(false)
      .optional()
      .describe(
        'The cloud does not install anew the volume that the server boots from: a new machine has to take its place.',
      ),
  })
  .describe("What is on the server's disk. Where it differs from the spec, the server is to be reinstalled.");

/** There from the intention until the node is Ready again, so that whoever comes after a crash knows what has been done. */
export const reinstall = z
  .object({
    ...installation,
    startTime: timestamp().describe('When it began; the time limit of the drain counts from here.'),
    wasCordoned: z.boolean().describe('Whether the node was cordoned before: then it stays so.'),
    requestedTime: timestamp().optional().describe('Since when the cloud may have been asked for it.'),
    bootID: z.string().max(64).optional().describe("The node's boot id before: a node that still has it is not new."),
    acceptedTime: timestamp().optional().describe('When the cloud had accepted it.'),
  })
  .describe('The reinstallation of the server that is under way.');

export type MachineInstalled = z.infer<typeof installed>;
export type MachineReinstall = z.infer<typeof reinstall>;
