import type { ProcessIdentity } from './process-host.ts';

/** The supervisor's state of a running process. */
export interface RunningProcess {
  readonly identity: ProcessIdentity;
  readonly fingerprint: string;
  readonly sinceMs: number;
  ready: boolean;
  unreadySinceMs: number | undefined;
  probedAtMs: number | undefined;
  terminatedAtMs: number | undefined;
  /** Why the process is being stopped, if that counts as a failure. */
  killReason: string | undefined;
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
    killReason: undefined,
  };
}
