import { z } from 'zod';
import { LAUNCHER_VARIABLE, type ProcessTable, processInProc } from '../command/launcher.ts';

/** A process, as long as it lives: ids are used again. */
export const ProcessRef = z.object({
  pid: z.number(),
  /** Clock ticks since boot; empty where there is no /proc. */
  started: z.string(),
});
export type ProcessRef = Readonly<z.infer<typeof ProcessRef>>;

export function processRef(pid: number, processes: ProcessTable = processInProc): ProcessRef {
  return { pid, started: processes(pid)?.started ?? '' };
}

/** Who wants the token: the process that started this one, the launcher for old Nodes aside. */
export function askerOf(
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

/** Whether a process has not ended; of other users' processes too. */
export function isAlive({ pid, started }: ProcessRef, processes: ProcessTable = processInProc): boolean {
  if (started !== '') return processes(pid)?.started === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
