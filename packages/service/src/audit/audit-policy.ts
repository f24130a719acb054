import { readFileSync } from 'node:fs';
import { AuditPolicyError, parsePolicyFile } from '@fairway/apiserver/audit/policy-file';
import { type AuditPolicy, auditPolicyOf } from '@fairway/apiserver/audit/policy-rules';
import { CommandError } from '../command-error.ts';
import { ExitCode } from '../exit-code.ts';

/** Reads the `--audit-policy-file`. Throws a CommandError that names the file and the invalid field. */
export function readAuditPolicy(path: string): AuditPolicy {
  try {
    return auditPolicyOf(parsePolicyFile(readFileSync(path, 'utf8')));
  } catch (cause) {
    const isKnown = cause instanceof AuditPolicyError || (cause as NodeJS.ErrnoException).code !== undefined;
    if (!isKnown) throw cause;
    const { message } = cause as Error;
    throw new CommandError(`--audit-policy-file ${path}: ${message}`, { exitCode: ExitCode.Usage, cause });
  }
}
