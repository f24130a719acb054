import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';

/** `spec.autoscaler` of a Cluster. */
export const autoscalerSpec = z
  .object({
    mode: z
      .enum(['Managed', 'External'])
      .default('Managed')
      .describe(
        "Which component scales the pools that have autoscaling enabled. Managed: Fairway. External: a cluster-autoscaler that the user runs and connects to Fairway's externalgrpc server; Fairway then does not change the sizes of these pools.",
      ),
    certificatesNotBefore: timestamp()
      .optional()
      .describe(
        'Certificates of the external autoscaler that were issued before this time are rejected. Default: no certificates are rejected.',
      ),
  })
  .describe("Autoscaling of the cluster's pools.");
