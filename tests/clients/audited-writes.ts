import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';

export interface AuditedWrites {
  /** `patch nodepools/demo-general`, in order. */
  readonly done: readonly string[];
  /** The number of dry runs: `dryRun=All`. */
  readonly dryRuns: number;
}

const READS = new Set(['get', 'list', 'watch']);

/** A client's writes to Fairway's own kinds, from the audit log of the Fairway in `home`. */
export function auditedWrites(home: string, userAgent: RegExp): AuditedWrites {
  const lines = readFileSync(join(home, 'audit.log'), 'utf8').split('\n').filter(Boolean);
  const writes = lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ userAgent: agent = '', objectRef }) => userAgent.test(agent) && objectRef?.apiGroup === 'fairway.dev')
    .filter(({ verb }) => !READS.has(verb));
  const done = writes.filter(({ requestURI }) => !requestURI.includes('dryRun=All'));
  return {
    done: done.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.name}`),
    dryRuns: writes.length - done.length,
  };
}
