import { z } from 'zod';
import { timestamp } from '../schema/scalars.ts';

/** `spec.autoscaler` of a Cluster. */
export const autoscalerSpec = z
  .object({
    mode: z
      .enum(['Managed', 'External'])
      .default('Managed')
      .describe(
        "Which component sizes the pools with autoscaling. Managed: Fairway. External: a cluster-autoscaler that the user runs with Fairway's externalgrpc server; Fairway then does not change their sizes.",
      ),
    certificatesNotBefore: timestamp()
      .optional()
      .describe(
        'Certificates of the external autoscaler that were issued before this time are rejected. Default: none.',
      ),
  })
  .describe("Autoscaling of the cluster's pools.");
