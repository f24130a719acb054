import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import type { ProcessUser } from './process-user.ts';

/** A process. The start time distinguishes it from a later process with the same ID. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, from /proc; empty on systems without /proc. */
  readonly started: string;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Working directory. */
  readonly folder: string;
  /** Log file to append to. An absolute path, like the pid file. */
  readonly logFile: string;
  readonly pidFile: string;
  /** Identifies the launch; written to the pid file. */
  readonly fingerprint: string;
  /**
   * Paths below the directory that a killed process leaves behind and that would prevent a start. The process that owns
   * the pid file removes them.
   */
  readonly sockets: readonly string[];
  /** User to run as, without supplementary groups or a way to gain privileges; undefined: this process's user. */
  readonly user?: ProcessUser | undefined;
}

/** The supervisor's view of this machine's processes. */
export interface ProcessHost {
  /**
   * Starts a process that outlives this one. It writes its pid file before it executes the program, and exits
   * immediately if a pid file already exists. `onExit` is called if it exits during this process's lifetime. Throws if
   * nothing was started.
   */
  spawn(launch: Launch, onExit: () => void): ProcessIdentity;
  /** The running process with this ID; undefined if there is none. */
  identify(pid: number): ProcessIdentity | undefined;
  /** Private memory of a process, without mapped files; undefined if the system does not report it. */
  memoryBytes(process: ProcessIdentity): number | undefined;
  /** Has no effect if the process is no longer running. */
  signal(process: ProcessIdentity, signal: 'SIGTERM' | 'SIGKILL'): void;
}

/**
 * The shell writes the pid file and then execs the program (same process, same start time), so that a program never
 * runs without a pid file, even if Fairway is killed in the meantime. `ln` creates the file atomically, and only if
 * there is none. When memory runs out, the kernel kills a program before Fairway. The limit on open files is raised to
 * this user's hard limit.
 *
 * Another user may be unable to reach the program, which is often in root's home directory. It is therefore opened
 * before the switch of user and executed through its file descriptor, with a symlink that gives the process its name.
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

/** Programs can write to the log directory: symlinks that they create there must not be followed. */
const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

export function localProcessHost(identify: ProcessHost['identify']): ProcessHost {
  return {
    identify,
    spawn({ command, args, env, folder, logFile, pidFile, fingerprint, sockets, user }, onExit) {
      const log = openSync(logFile, APPEND_FLAGS, 0o600);
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

/** Content of a pid file: `PID FINGERPRINT STARTED`. */
export function parsePidFile(text: string): PidRecord | undefined {
  const [pid = '', fingerprint = '', started = ''] = text.trim().split(' ');
  return /^[1-9][0-9]*$/.test(pid) && fingerprint !== ''
    ? { process: { pid: Number(pid), started }, fingerprint }
    : undefined;
}
