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
import { join, resolve } from 'node:path';

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
    mkdirSync(this.pki, { recursive: true, mode: 0o700 });
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

/** Thrown when another Fairway runs on the same home. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';
}

/** Takes the home for this process; a lock whose process is gone is taken over. Returns how to give it back. */
export function lockHome(home: Home, pid: number, isAlive: (pid: number) => boolean): () => void {
  for (let attempt = 1; ; attempt++) {
    try {
      const file = openSync(home.lock, 'wx', 0o600);
      writeSync(file, String(pid));
      closeSync(file);
      return () => unlinkSync(home.lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 3) throw error;
      const holder = Number.parseInt(home.read(home.lock) ?? '', 10);
      if (Number.isInteger(holder) && holder !== pid && isAlive(holder)) {
        throw new HomeInUseError(
          `another fairway (process ${holder}) runs on ${home.path}: stop it with "kill ${holder}", or choose another folder with --home`,
        );
      }
      unlinkSync(home.lock);
    }
  }
}

/** Whether a process of this id exists, one that we may not signal included. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
