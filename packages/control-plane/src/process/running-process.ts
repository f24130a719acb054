import type { ProcessIdentity } from './process-host.ts';

/** What the supervisor knows of a process that runs. */
export interface RunningProcess {
  readonly identity: ProcessIdentity;
  readonly fingerprint: string;
  readonly sinceMs: number;
  ready: boolean;
  unreadySinceMs: number | undefined;
  probedAtMs: number | undefined;
  terminatedAtMs: number | undefined;
  /** What it has done that it is ended for, and that counts as a failure. */
  offence: string | undefined;
}

export function runningProcess(identity: ProcessIdentity, fingerprint: string, nowMs: number): RunningProcess {
  return {
    identity,
    fingerprint,
    sinceMs: nowMs,
    ready: false,
    unreadySinceMs: nowMs,
    probedAtMs: undefined,
    terminatedAtMs: undefined,
    offence: undefined,
  };
}
