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
import { restrictHomeAccess } from './private-home.ts';

const LOCK = 'lock';
const SHARED_LOCK = /^lock-\d+$/;

/** The directory with the complete state of one Fairway. */
export class Home {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Fairway's own objects. */
  get database(): string {
    return join(this.path, 'fairway.db');
  }

  /** The audit log; rotated files are next to it. */
  get auditLog(): string {
    return join(this.path, 'audit.log');
  }

  /** Contains a directory for each namespace with the audit events that its tenants may read. */
  get auditEvents(): string {
    return join(this.path, 'audit-events');
  }

  /** The databases of simulated control planes. */
  get clustersDatabase(): string {
    return join(this.path, 'clusters.db');
  }

  /** Contains a directory for each control plane that runs as processes. */
  get controlPlanes(): string {
    return join(this.path, 'control-planes');
  }

  /** Contains a directory of database snapshots for each cluster. */
  get snapshots(): string {
    return join(this.path, 'snapshots');
  }

  /** Contains a directory for each simulated control plane that runs as a separate process. */
  get simulatedControlPlanes(): string {
    return join(this.path, 'simulated-control-planes');
  }

  /** Audit events of clusters whose API servers are in this process. */
  get clusterAudit(): string {
    return join(this.path, 'cluster-audit');
  }

  /** How control planes run, fixed for the lifetime of the home. */
  get controlPlaneKind(): string {
    return join(this.path, 'control-plane');
  }

  get simulatorState(): string {
    return join(this.path, 'simulator.journal');
  }

  /** Disk contents of hollow nodes. */
  get nodes(): string {
    return join(this.path, 'nodes');
  }

  get pki(): string {
    return join(this.path, 'pki');
  }

  /** Encryption keys of Secrets; without them, Secrets are lost. */
  get encryptionKeys(): string {
    return join(this.pki, 'encryption.keys');
  }

  /** The CA that clients of a gateway trust. */
  get gatewayAuthority(): string {
    return join(this.path, 'gateway-ca.crt');
  }

  /**
   * The CA of Fairway's API and of other servers of the process, for clients without a kubeconfig, such as browsers.
   */
  get apiAuthority(): string {
    return join(this.path, 'api-ca.crt');
  }

  get kubeconfig(): string {
    return join(this.path, 'kubeconfig');
  }

  get cloudsYaml(): string {
    return join(this.path, 'clouds.yaml');
  }

  /** The password of the simulated cloud's user `demo`, which is used for nothing else. */
  get demoPassword(): string {
    return join(this.path, 'demo-password');
  }

  /** Ports that Fairway has chosen, stored so that they stay the same. */
  get ports(): string {
    return join(this.path, 'ports.json');
  }

  /** Unique ID of the directory. */
  get id(): string {
    return join(this.path, 'id');
  }

  get lock(): string {
    return join(this.path, LOCK);
  }

  /** Creates the directory for its owner only; makes an existing directory private, or throws a SharedHomeError. */
  create(): void {
    restrictHomeAccess(this);
    createFolder(this.pki);
  }

  read(path: string): string | undefined {
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  /** Contains a lock file for each process that shares the directory. */
  lockOf(pid: number): string {
    return `${this.lock}-${pid}`;
  }

  /** IDs of the processes that hold the directory, exclusively or shared. */
  holders(identify: Identify): readonly number[] {
    if (!existsSync(this.path)) return [];
    const locks = readdirSync(this.path).filter((name) => name === LOCK || SHARED_LOCK.test(name));
    return locks.flatMap((name) => holderOf(this, join(this.path, name), identify)?.pid ?? []);
  }

  /** Creates a file once: concurrent processes all get the contents that one of them wrote. */
  readOrCreate(path: string, make: () => string): string {
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

  /**
   * Replaces a file atomically: after a crash, either the old or the new file exists. Secrets are readable only by
   * their owner.
   */
  write(path: string, text: string, mode = 0o600): void {
    const draft = `${path}.${process.pid}.draft`;
    const file = openSync(draft, 'w', mode);
    writeSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(draft, path);
  }

  /** Replaces a file asynchronously, because the disk may be slow and a running Fairway has Leases to renew. */
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

/**
 * Creates a directory and its parents. Node's recursive mkdir loops forever below a directory that allows no
 * subdirectories, such as /proc.
 */
function createFolder(path: string): void {
  if (existsSync(path)) return;
  createFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Thrown if another Fairway runs on the same home. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';
}

/** A process as identified in its lock: PIDs are reused, so the start time is part of the identity. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, from /proc; empty on systems without /proc. */
  readonly started: string;
}

/**
 * Locks the home exclusively for this process, taking over the lock of a dead process. Returns a function that releases
 * the lock.
 */
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

/** Locks the home shared with other processes, excluding exclusive locks. Returns a function that releases the lock. */
export function shareHome(home: Home, self: ProcessIdentity, identify: Identify): () => void {
  const path = home.lockOf(self.pid);
  // Each process writes its own lock before it checks for others: if two start at the same time, at least one sees the
  // other.
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

/** The process that a lock identifies, if it is still running. */
function holderOf(home: Home, path: string, identify: Identify): ProcessIdentity | undefined {
  const [pid = '', started = ''] = (home.read(path) ?? '').split(' ');
  const holder = identify(Number.parseInt(pid, 10));
  return holder?.started === started ? holder : undefined;
}

function refuseIfHeld(home: Home, path: string, self: ProcessIdentity, identify: Identify): void {
  const holder = holderOf(home, path, identify);
  if (holder && holder.pid !== self.pid) {
    throw new HomeInUseError(
      `another fairway process (${holder.pid}) uses ${home.path}: stop it with "kill ${holder.pid}", or use another folder with --home`,
    );
  }
}

/** Position of `starttime` after the command in /proc/PID/stat (proc_pid_stat(5)). */
const START_TIME_FIELD = 19;

/** The process with this PID; undefined if there is none. A zombie does not count as running. */
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
