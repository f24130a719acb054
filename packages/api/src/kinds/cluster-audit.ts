import { z } from 'zod';

/** `spec.apiServer.audit` of a Cluster. */
export const auditSpec = z
  .object({
    level: z
      .enum(['Metadata', 'Request', 'RequestResponse'])
      .default('Metadata')
      .describe(
        'Level of detail of audit events. Metadata: who changed what, when, from where and with what result. Request: also the request body. RequestResponse: also the request and response bodies. Secrets, ConfigMaps and tokens are always recorded at level Metadata.',
      ),
    reads: z
      .boolean()
      .default(false)
      .describe(
        'Whether read requests are also recorded, except those from nodes and the control plane. Reads of Secrets are always recorded.',
      ),
  })
  .describe(
    "Audit log of the cluster's API server, which members and readers of the project can read through the subresource clusters/audit. Absent: disabled. A change restarts the API server.",
  );

export type ApiServerAudit = z.infer<typeof auditSpec>;
