import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';

/** What a server is installed from. */
const installation = {
  image: z.string().describe('Image, by id.'),
  version: z.string().describe('Kubernetes version.'),
  reinstallTime: timestamp().optional().describe('spec.reinstallTime at that time.'),
};

/** Written when the machine has a server, and when the cloud has rebuilt it. */
export const installed = z
  .object({ serverID: z.string().describe('Server that this is about.'), ...installation })
  .describe("What is on the server's disk. Where it differs from the spec, the server is to be reinstalled.");
