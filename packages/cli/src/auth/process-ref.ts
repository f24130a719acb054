import { z } from 'zod';
import { LAUNCHER_VARIABLE, type ProcessTable, processInProc } from '../command/launcher.ts';

/** Identifies a process for its lifetime; process ids are reused. */
export const ProcessRef = z.object({
  pid: z.number(),
  /** Clock ticks since boot; empty without /proc. */
  started: z.string(),
});
export type ProcessRef = Readonly<z.infer<typeof ProcessRef>>;

export function processRef(pid: number, processes: ProcessTable = processInProc): ProcessRef {
  return { pid, started: processes(pid)?.started ?? '' };
}

/** The process that requests the token: the parent of this one, skipping the launcher for old Node versions. */
export function requesterOf(
  env: Readonly<Record<string, string | undefined>>,
  parent: number,
  processes: ProcessTable = processInProc,
): ProcessRef {
  const isLaunched = env[LAUNCHER_VARIABLE] === String(parent);
  const pid = isLaunched ? (processes(parent)?.parent ?? parent) : parent;
  return processRef(pid, processes);
}

export function isSameProcess(a: ProcessRef, b: ProcessRef): boolean {
  return a.pid === b.pid && a.started === b.started;
}

/** Whether a process is still running; also works for other users' processes. */
export function isAlive({ pid, started }: ProcessRef, processes: ProcessTable = processInProc): boolean {
  if (started !== '') return processes(pid)?.started === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
