import { readFileSync, readlinkSync } from 'node:fs';
import type { Clock } from '@fairway/base/clock';

/** A process as seen in /proc. */
export interface ObservedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Process group and session, by the id of their leader. */
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot: process ids are reused. */
  readonly started: string;
  /** Command line with words separated by spaces; npm sets its own to `npm start` or similar. */
  readonly name: string;
}

/** Looks up a process on this machine; undefined if it does not exist. */
export type ProcessTable = (pid: number) => ObservedProcess | undefined;

/** Number of ancestors to check: launcher, shell, npm. */
const MAX_DEPTH = 4;

/**
 * The processes that this one must not outlive: npm, a shell that runs it in the foreground, and the launcher for old
 * Node versions. npm forwards SIGTERM only to its shell, and the shell dies without ending its child, so an unnoticed
 * server would keep running.
 *
 * Empty for a process that is meant to stay: the leader of its own session or process group (systemd, setsid, a job of
 * an interactive shell, containers), or one without standard input (nohup, `&` in a script), unless npm runs it.
 */
export function launchersOf(
  self: number,
  {
    processes,
    hasInput,
    launcher,
  }: { readonly processes: ProcessTable; readonly hasInput: boolean; readonly launcher: number | undefined },
): readonly ObservedProcess[] {
  const own = processes(self);
  if (own === undefined) return [];
  // The launcher is always followed; only the process itself can tell that its parent is one.
  const isLaunched = launcher !== undefined && own.parent === launcher;
  const bin = isLaunched ? processes(own.parent) : undefined;
  const above = bin ?? own;
  const requiredNames = bin === undefined ? [] : [bin];
  if (above.group === above.pid || above.session === above.pid) return requiredNames;
  const ancestors: ObservedProcess[] = [];
  for (let next = processes(above.parent); next && ancestors.length < MAX_DEPTH; next = processes(next.parent)) {
    // Processes outside our session and group belong to someone else.
    if (next.pid === 1 || next.group !== above.group) break;
    ancestors.push(next);
  }
  const npmIndex = ancestors.slice(0, 2).findIndex(({ name }) => /^np[mx] /.test(`${name} `));
  if (npmIndex >= 0) return [...requiredNames, ...ancestors.slice(0, npmIndex + 1)];
  return hasInput ? [...requiredNames, ...ancestors.slice(0, 1)] : requiredNames;
}

/** The variable in which `bin/fairway.js` passes its pid. */
export const LAUNCHER_VARIABLE = 'FAIRWAY_LAUNCHER';

const POLL_INTERVAL_MS = 1_000;

/** Calls `onEnd` once when a launcher of this process has ended. Returns a function that stops watching. */
export function followLauncher(clock: Clock, onEnd: (ended: ObservedProcess) => void): () => void {
  const launcher = Number.parseInt(process.env[LAUNCHER_VARIABLE] ?? '', 10);
  const launchers = launchersOf(process.pid, {
    processes: processInProc,
    hasInput: hasInput(),
    launcher: Number.isInteger(launcher) ? launcher : undefined,
  });
  if (launchers.length === 0) return () => {};
  const poll = () => {
    const ended = launchers.find(({ pid, started }) => processInProc(pid)?.started !== started);
    if (ended === undefined) timer = clock.after(POLL_INTERVAL_MS, poll);
    else onEnd(ended);
  };
  let timer = clock.after(POLL_INTERVAL_MS, poll);
  return () => timer.cancel();
}

/** Whether standard input is not /dev/null, as it is under nohup and in background jobs of scripts. */
function hasInput(): boolean {
  try {
    return readlinkSync('/proc/self/fd/0') !== '/dev/null';
  } catch {
    return false;
  }
}

/** From proc_pid_stat(5); undefined for a zombie, which is no longer running. */
export function processInProc(pid: number): ObservedProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group, session] = fields;
    if (state === 'Z' || state === 'X') return undefined;
    const name = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      started: fields[START_TIME_FIELD] ?? '',
      name,
    };
  } catch {
    return undefined;
  }
}

/** Position of `starttime` after the command name. */
const START_TIME_FIELD = 19;
