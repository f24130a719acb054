import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import type { ProcessUser } from './process-user.ts';

/** A process, told from a later one with the same id by the time of its start. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Ticks since boot, as /proc has it; empty where there is no /proc. */
  readonly started: string;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory. */
  readonly folder: string;
  /** Appended to. Absolute, as the next. */
  readonly logFile: string;
  readonly pidFile: string;
  /** Says what the process was started as; stands in the pid file. */
  readonly fingerprint: string;
  /** Paths below the folder that a killed predecessor leaves behind and that hinder a start: removed by whoever is in the pid file. */
  readonly sockets: readonly string[];
  /** Whom the program runs as, without any other group or way to more rights; undefined: as this process. */
  readonly user?: ProcessUser | undefined;
}

/** Processes of this machine, as the supervisor sees them. */
export interface ProcessHost {
  /**
   * Starts a process that outlives this one and has written itself into its pid file before it runs; it ends immediately when
   * there is such a file already. `onExit` is called when it ends while this process lives. Throws when nothing was started.
   */
  spawn(launch: Launch, onExit: () => void): ProcessIdentity;
  /** The running process of this id, or undefined. */
  identify(pid: number): ProcessIdentity | undefined;
  /** Memory that is a process's own, without files that it maps; undefined where the machine does not tell. */
  memoryBytes(process: ProcessIdentity): number | undefined;
  /** Does nothing when it is gone. */
  signal(process: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): void;
}

/**
 * The shell writes the pid file and becomes the program (same process, same start time), so that no moment exists in which
 * a program runs that no file names, even if Fairway is killed meanwhile. `ln` makes the file as a whole, and only if there is none.
 * Where memory runs out, a program goes before Fairway does; open files are limited, as far as this user may.
 *
 * Another user may not be able to reach the program, which lies below root's home as often as not. So it is opened before
 * and executed through its descriptor, under a link that gives the process its name.
 */
const SCRIPT = [
  'umask 077',
  'nth() { shift 19; echo "$1"; }',
  'started=',
  'if [ -r /proc/$$/stat ]; then read -r stat < /proc/$$/stat; started=$(nth ${stat##*\\) }); fi',
  'echo "$$ $2 $started" > "$1.$$"',
  'ln "$1.$$" "$1"; taken=$?',
  'rm -f "$1.$$"',
  '[ $taken = 0 ] || exit 73',
  '{ echo 500 > /proc/$$/oom_score_adj; } 2>/dev/null',
  'ulimit -n 65536 2>/dev/null',
  'user=$3',
  'shift 3',
  'until [ "$1" = -- ]; do rm -f "$1"; shift; done',
  'shift',
  'if [ -z "$user" ]; then',
  '  if command -v setpriv >/dev/null; then exec setpriv --no-new-privs -- "$@"; fi',
  '  exec "$@"',
  'fi',
  'program=$1',
  'exec 3< "$program" || exit 74',
  'shift',
  'set -- "bin/${program##*/}" "$@"',
  'ln -sfn /proc/self/fd/3 "$1" || exit 74',
  'exec setpriv --reuid "${user%:*}" --regid "${user#*:}" --clear-groups --no-new-privs -- "$@"',
].join('\n');

/** Programs may write to the folder of logs: a link of theirs leads nowhere. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

export function localProcessHost(identify: ProcessHost['identify']): ProcessHost {
  return {
    identify,
    spawn({ command, args, env, folder, logFile, pidFile, fingerprint, sockets, user }, onExit) {
      const log = openSync(logFile, APPEND, 0o600);
      const userText = user === undefined ? '' : `${user.uid}:${user.gid}`;
      try {
        const child = spawn(
          '/bin/sh',
          ['-c', SCRIPT, 'sh', pidFile, fingerprint, userText, ...sockets, '--', command, ...args],
          {
            cwd: folder,
            env: { ...env },
            detached: true,
            stdio: ['ignore', log, log],
          },
        );
        child.once('error', onExit);
        child.once('exit', onExit);
        child.unref();
        const identity = child.pid === undefined ? undefined : identify(child.pid);
        if (identity === undefined) throw new Error(`${command} could not be started`);
        return identity;
      } finally {
        closeSync(log);
      }
    },
    memoryBytes: ({ pid }) => ownMemoryBytes(pid),
    signal(process_, signal) {
      const current = identify(process_.pid);
      if (current?.started !== process_.started) return;
      try {
        process.kill(process_.pid, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
  };
}

function ownMemoryBytes(pid: number): number | undefined {
  try {
    const kibibytes = /^RssAnon:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    return undefined;
  }
}

export interface PidRecord {
  readonly process: ProcessIdentity;
  readonly fingerprint: string;
}

/** What a pid file says: `PID FINGERPRINT STARTED`. */
export function parsePidFile(text: string): PidRecord | undefined {
  const [pid = '', fingerprint = '', started = ''] = text.trim().split(' ');
  return /^[1-9][0-9]*$/.test(pid) && fingerprint !== ''
    ? { process: { pid: Number(pid), started }, fingerprint }
    : undefined;
}
