import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folder that one Fairway keeps everything in. */
export class Home {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Fairway's own objects. */
  get database(): string {
    return join(this.path, 'fairway.db');
  }

  /** The databases of simulated control planes. */
  get clustersDatabase(): string {
    return join(this.path, 'clusters.db');
  }

  /** A folder for each control plane that runs as processes. */
  get controlPlanes(): string {
    return join(this.path, 'control-planes');
  }

  /** What their databases held: a folder of snapshots for each cluster. */
  get snapshots(): string {
    return join(this.path, 'snapshots');
  }

  /** How control planes run here, for as long as the home is kept. */
  get controlPlaneKind(): string {
    return join(this.path, 'control-plane');
  }

  get simulatorState(): string {
    return join(this.path, 'simulator.journal');
  }

  /** What the disks of hollow nodes hold. */
  get nodes(): string {
    return join(this.path, 'nodes');
  }

  get pki(): string {
    return join(this.path, 'pki');
  }

  /** What Secrets are encrypted with; without it they are lost. */
  get encryptionKeys(): string {
    return join(this.pki, 'encryption.keys');
  }

  /** What clients of a gateway trust. */
  get gatewayAuthority(): string {
    return join(this.path, 'gateway-ca.crt');
  }

  get kubeconfig(): string {
    return join(this.path, 'kubeconfig');
  }

  get cloudsYaml(): string {
    return join(this.path, 'clouds.yaml');
  }

  /** Ports that were chosen by ourselves, kept so that they stay the same. */
  get ports(): string {
    return join(this.path, 'ports.json');
  }

  get lock(): string {
    return join(this.path, 'lock');
  }

  /** Makes the folder, for its owner alone. */
  create(): void {
    makeFolder(this.pki);
  }

  read(path: string): string | undefined {
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  /** Replaces a file as a whole: a crash leaves the old one or the new one. Secrets are readable by their owner alone. */
  write(path: string, text: string, mode = 0o600): void {
    const draft = `${path}.draft`;
    const file = openSync(draft, 'w', mode);
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, path);
  }
}

/** Makes a folder and those above it. Node's own recursive mkdir never ends below a folder that takes none, such as /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Thrown when another Fairway runs on the same home. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';
}

/** A process as its lock names it: process ids are used again, the time of its start tells it from a later one. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Ticks since boot, as /proc has it; empty where there is no /proc. */
  readonly started: string;
}

/** Takes the home for this process; a lock whose process is gone is taken over. Returns how to give it back. */
export function lockHome(
  home: Home,
  self: ProcessIdentity,
  identify: (pid: number) => ProcessIdentity | undefined,
): () => void {
  for (let attempt = 1; ; attempt++) {
    try {
      const file = openSync(home.lock, 'wx', 0o600);
      writeSync(file, `${self.pid} ${self.started}`);
      closeSync(file);
      return () => unlinkSync(home.lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 3) throw error;
      const [pid = '', started = ''] = (home.read(home.lock) ?? '').split(' ');
      const holder = identify(Number.parseInt(pid, 10));
      if (holder && holder.pid !== self.pid && holder.started === started) {
        throw new HomeInUseError(
          `another fairway (process ${holder.pid}) runs on ${home.path}: stop it with "kill ${holder.pid}", or choose another folder with --home`,
        );
      }
      unlinkSync(home.lock);
    }
  }
}

/** Position of `starttime` after the command in /proc/PID/stat (proc_pid_stat(5)). */
const START_TIME_FIELD = 19;

/** The process of this id, or undefined when none runs; one that was killed and not yet reaped runs no more. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!Number.isInteger(pid)) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  if (!existsSync('/proc/self/stat')) return { pid, started: '' };
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : { pid, started: fields[START_TIME_FIELD - 1] ?? '' };
  } catch {
    return undefined;
  }
}
