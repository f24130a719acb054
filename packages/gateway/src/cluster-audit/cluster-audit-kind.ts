import { GROUP, VERSION } from '@fairway/api/group';

/** The audit events of a cluster's API server: `GET clusters/NAME/audit`. */
export const CLUSTER_AUDIT_SUBRESOURCE = 'audit';
export const CLUSTER_AUDIT_KIND = { group: GROUP, version: VERSION, kind: 'AuditEventList' } as const;
