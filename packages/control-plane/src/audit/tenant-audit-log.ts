import { type LogLocation, MAX_LINE_BYTES } from '@fairway/apiserver/audit/newest-lines';

/**
 * Audit log of a cluster that requests audit events, in the cluster's directory. Events for the operator are in a
 * separate file, which tenants cannot read.
 */
export const TENANT_AUDIT_FOLDER = 'logs';
export const TENANT_AUDIT_FILE = 'tenant-audit.log';
export const TENANT_AUDIT_LOG = `${TENANT_AUDIT_FOLDER}/${TENANT_AUDIT_FILE}`;

/** Maximum size of a file in megabytes before it is rotated, and the number of files kept: 40 MiB per cluster. */
export const TENANT_AUDIT_MAX_SIZE_MB = 10;
export const TENANT_AUDIT_MAX_BACKUPS = 3;

/** Maximum size of an event in bytes: kube-apiserver drops an event that exceeds it even without bodies. */
export const TENANT_AUDIT_MAX_EVENT_SIZE = MAX_LINE_BYTES;

/** The log in a directory. @param writer the user ID of its API server, if different from that of this process. */
export function tenantLogLocation(folder: string, writer: number | undefined): LogLocation {
  const own = process.geteuid?.() ?? 0;
  return { folder, file: TENANT_AUDIT_FILE, owners: writer === undefined ? [own] : [own, writer] };
}
