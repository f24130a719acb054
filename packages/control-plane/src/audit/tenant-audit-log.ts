import { type LogPlace, MAX_LINE_BYTES } from '@fairway/apiserver/audit/newest-lines';

/** Audit log of a cluster that requests audit events, in its folder. Events for the operator are in another file, which tenants cannot read. */
export const TENANT_AUDIT_FOLDER = 'logs';
export const TENANT_AUDIT_FILE = 'tenant-audit.log';
export const TENANT_AUDIT_LOG = `${TENANT_AUDIT_FOLDER}/${TENANT_AUDIT_FILE}`;

/** Of a file, in megabytes, before it is rotated, and how many of those are kept: 40 MiB for a cluster. */
export const TENANT_AUDIT_MAX_SIZE_MB = 10;
export const TENANT_AUDIT_MAX_BACKUPS = 3;

/** Of one event, in bytes: one that has more after its bodies are left out kube-apiserver does not write at all. */
export const TENANT_AUDIT_MAX_EVENT_SIZE = MAX_LINE_BYTES;

/** The log in a folder. @param writer the user id that its API server has, if not that of this process. */
export function tenantLogIn(folder: string, writer: number | undefined): LogPlace {
  const own = process.geteuid?.() ?? 0;
  return { folder, file: TENANT_AUDIT_FILE, owners: writer === undefined ? [own] : [own, writer] };
}
