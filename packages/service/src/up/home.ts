import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { closeHome } from './private-home.ts';

const LOCK = 'lock';
const SHARED_LOCK = /^lock-\d+$/;

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

  /** Who asked for what; full ones lie beside it. */
  get auditLog(): string {
    return join(this.path, 'audit.log');
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

  /** A folder for each simulated control plane that is a process of its own. */
  get simulatedControlPlanes(): string {
    return join(this.path, 'simulated-control-planes');
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

  /** Tells the folder from all others. */
  get id(): string {
    return join(this.path, 'id');
  }

  get lock(): string {
    return join(this.path, LOCK);
  }

  /** Makes the folder, for its owner alone; closes one that is there to others, or throws a SharedHomeError. */
  create(): void {
    closeHome(this);
    makeFolder(this.pki);
  }

  read(path: string): string | undefined {
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  /** A file for each of those that share the folder. */
  lockOf(pid: number): string {
    return `${this.lock}-${pid}`;
  }

  /** Ids of the processes that have the folder, alone or together. */
  holders(identify: Identify): readonly number[] {
    if (!existsSync(this.path)) return [];
    const locks = readdirSync(this.path).filter((name) => name === LOCK || SHARED_LOCK.test(name));
    return locks.flatMap((name) => holderOf(this, join(this.path, name), identify)?.pid ?? []);
  }

  /** A file that is made once: of several processes that do so at a time, all get what one of them made. */
  readOrMake(path: string, make: () => string): string {
    const known = this.read(path);
    if (known !== undefined) return known;
    const draft = `${path}.${process.pid}.draft`;
    this.write(draft, make());
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      unlinkSync(draft);
    }
    return readFileSync(path, 'utf8');
  }

  /** Replaces a file as a whole: a crash leaves the old one or the new one. Secrets are readable by their owner alone. */
  write(path: string, text: string, mode = 0o600): void {
    const draft = `${path}.${process.pid}.draft`;
    const file = openSync(draft, 'w', mode);
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, path);
  }

  /** The same without waiting for the disk, which may take long: for a Fairway that runs already, and has Leases to renew. */
  async replace(path: string, text: string): Promise<void> {
    const draft = `${path}.${process.pid}.draft`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
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

/** Takes the home for this process alone; a lock whose process is gone is taken over. Returns how to give it back. */
export function lockHome(home: Home, self: ProcessIdentity, identify: Identify): () => void {
  for (let attempt = 1; ; attempt++) {
    try {
      const file = openSync(home.lock, 'wx', 0o600);
      writeSync(file, `${self.pid} ${self.started}`);
      closeSync(file);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 3) throw error;
      refuseIfHeld(home, home.lock, self, identify);
      unlinkSync(home.lock);
    }
  }
  try {
    for (const name of readdirSync(home.path)) {
      const path = join(home.path, name);
      if (!SHARED_LOCK.test(name)) continue;
      refuseIfHeld(home, path, self, identify);
      unlinkSync(path);
    }
  } catch (error) {
    unlinkSync(home.lock);
    throw error;
  }
  return () => unlinkSync(home.lock);
}

/** Takes the home for this process and others like it, but none that takes it for itself. Returns how to give it back. */
export function shareHome(home: Home, self: ProcessIdentity, identify: Identify): () => void {
  const path = home.lockOf(self.pid);
  // Each writes its own before it looks for the other's: of two that start at once, at least one sees the other.
  home.write(path, `${self.pid} ${self.started}`);
  try {
    refuseIfHeld(home, home.lock, self, identify);
  } catch (error) {
    unlinkSync(path);
    throw error;
  }
  return () => unlinkSync(path);
}

type Identify = (pid: number) => ProcessIdentity | undefined;

/** The process that a lock names, if it still runs. */
function holderOf(home: Home, path: string, identify: Identify): ProcessIdentity | undefined {
  const [pid = '', started = ''] = (home.read(path) ?? '').split(' ');
  const holder = identify(Number.parseInt(pid, 10));
  return holder?.started === started ? holder : undefined;
}

function refuseIfHeld(home: Home, path: string, self: ProcessIdentity, identify: Identify): void {
  const holder = holderOf(home, path, identify);
  if (holder && holder.pid !== self.pid) {
    throw new HomeInUseError(
      `another fairway (process ${holder.pid}) runs on ${home.path}: stop it with "kill ${holder.pid}", or choose another folder with --home`,
    );
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
