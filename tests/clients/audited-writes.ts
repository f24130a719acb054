import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEvent } from '@fairway/apiserver/audit/audit-event';

const READS = new Set(['get', 'list', 'watch']);

/** What a client has written of Fairway's own kinds, in its order, by the audit log of the Fairway in `home`: `patch nodepools/demo-general`. */
export function auditedWrites(home: string, userAgent: RegExp): readonly string[] {
  const lines = readFileSync(join(home, 'audit.log'), 'utf8').split('\n').filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ userAgent: agent = '', objectRef }) => userAgent.test(agent) && objectRef?.apiGroup === 'fairway.dev')
    .filter(({ verb }) => !READS.has(verb))
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.name}`);
}
