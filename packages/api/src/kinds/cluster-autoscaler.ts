import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';

/** `spec.autoscaler` of a Cluster. */
export const autoscalerSpec = z
  .object({
    mode: z
      .enum(['Managed', 'External'])
      .default('Managed')
      .describe(
        "Who sizes the pools that have autoscaling enabled. Managed: Fairway. External: a cluster-autoscaler that the user runs, over Fairway's externalgrpc server; Fairway then leaves their sizes alone.",
      ),
    certificatesNotBefore: timestamp()
      .optional()
      .describe('Certificates of the external autoscaler that were issued before are refused. Empty: none is.'),
  })
  .describe('Who decides how many nodes there are.');
