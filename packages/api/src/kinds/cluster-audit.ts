import { z } from 'zod';

/** `spec.apiServer.audit` of a Cluster. */
export const auditSpec = z
  .object({
    level: z
      .enum(['Metadata', 'Request', 'RequestResponse'])
      .default('Metadata')
      .describe(
        'Detail of each audit event. Metadata: who changed what, when, from where and with which result. Request: also the request body. RequestResponse: also the response body. Secrets, ConfigMaps and tokens are always recorded at Metadata.',
      ),
    reads: z
      .boolean()
      .default(false)
      .describe(
        'Whether read requests are recorded too, except those of nodes and the control plane. Reads of Secrets are always recorded.',
      ),
  })
  .describe(
    "Audit log of the cluster's API server, which members and readers of the project read at clusters/audit. Absent: disabled. A change restarts the API server.",
  );

export type ApiServerAudit = z.infer<typeof auditSpec>;
