import { z } from 'zod';

/** `spec.apiServer.audit` of a Cluster. */
export const auditSpec = z
  .object({
    level: z
      .enum(['Metadata', 'Request', 'RequestResponse'])
      .default('Metadata')
      .describe(
        'How much of each change is written down. Metadata: who changed what, when, from where and with which outcome. Request: what was sent, too. RequestResponse: what was answered, too. Of Secrets, ConfigMaps and tokens it is Metadata always.',
      ),
    reads: z
      .boolean()
      .default(false)
      .describe(
        'Whether what is merely read is written down too, but by nodes and the control plane. Reads of Secrets always are.',
      ),
  })
  .describe(
    "Audit events of the cluster's API server, which the project's members and readers read at clusters/audit. Without it there are none for them. A change restarts the API server.",
  );

export type ApiServerAudit = z.infer<typeof auditSpec>;
