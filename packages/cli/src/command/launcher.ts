import { readFileSync, readlinkSync } from 'node:fs';
import type { Clock } from '@fairway/base/clock';

/** A process as /proc shows it. */
export interface ObservedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Process group and session, by the id of their leader. */
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot: process ids are reused. */
  readonly started: string;
  /** Command line, its words separated by spaces; npm sets its own to `npm start` or alike. */
  readonly name: string;
}

/** The processes of this machine; undefined for one that does not run. */
export type ProcessTable = (pid: number) => ObservedProcess | undefined;

/** Of processes that are looked at upwards: launcher, shell, npm. */
const MAX_DEPTH = 4;

/**
 * The processes without which this one has to stop: npm, a shell that runs it in the foreground, and the launcher for old Nodes. npm passes
 * SIGTERM on to its shell alone, and a shell dies of it without its child: a server would live on that nobody knows of.
 *
 * Empty for a process that is meant to stay: the leader of a session or a process group of its own (systemd, setsid, a job of an interactive
 * shell, containers), and one without standard input (nohup, `&` in a script), unless npm runs it.
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
  // Only the process itself knows that its parent is the launcher, with which it lives and dies.
  const isLaunched = launcher !== undefined && own.parent === launcher;
  const bin = isLaunched ? processes(own.parent) : undefined;
  const above = bin ?? own;
  const always = bin === undefined ? [] : [bin];
  if (above.group === above.pid || above.session === above.pid) return always;
  const ancestors: ObservedProcess[] = [];
  for (let next = processes(above.parent); next && ancestors.length < MAX_DEPTH; next = processes(next.parent)) {
    // A session or group of its own is where somebody else's processes begin.
    if (next.pid === 1 || next.group !== above.group) break;
    ancestors.push(next);
  }
  const npmAt = ancestors.slice(0, 2).findIndex(({ name }) => /^np[mx] /.test(`${name} `));
  if (npmAt >= 0) return [...always, ...ancestors.slice(0, npmAt + 1)];
  return hasInput ? [...always, ...ancestors.slice(0, 1)] : always;
}

/** In which `bin/fairway.js` tells its pid. */
export const LAUNCHER_VARIABLE = 'FAIRWAY_LAUNCHER';

const POLL_INTERVAL_MS = 1_000;

/** Calls `onEnd` once when a process without which this one has to stop has ended. Returns how to stop following. */
export function followLauncher(clock: Clock, onEnd: (ended: ObservedProcess) => void): () => void {
  const launcher = Number.parseInt(process.env[LAUNCHER_VARIABLE] ?? '', 10);
  const followed = launchersOf(process.pid, {
    processes: processInProc,
    hasInput: hasInput(),
    launcher: Number.isInteger(launcher) ? launcher : undefined,
  });
  if (followed.length === 0) return () => {};
  const poll = () => {
    const ended = followed.find(({ pid, started }) => processInProc(pid)?.started !== started);
    if (ended === undefined) timer = clock.after(POLL_INTERVAL_MS, poll);
    else onEnd(ended);
  };
  let timer = clock.after(POLL_INTERVAL_MS, poll);
  return () => timer.cancel();
}

/** Whether standard input is something other than /dev/null, which nohup and background jobs of scripts have. */
function hasInput(): boolean {
  try {
    return readlinkSync('/proc/self/fd/0') !== '/dev/null';
  } catch {
    return false;
  }
}

/** From proc_pid_stat(5); a zombie no longer runs. */
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
      started: fields[STARTED] ?? '',
      name,
    };
  } catch {
    return undefined;
  }
}

/** Position of `starttime` behind the command's name. */
const STARTED = 19;
