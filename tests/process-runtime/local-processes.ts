import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { COMPONENTS, type Component, perComponent } from '@fairway/control-plane/process/components';
import { parsePidFile } from '@fairway/control-plane/process/process-host';

/** Process IDs by component, from the pid files of a cluster's directory. */
export function pidsOf(folder: string): Readonly<Record<Component, number | undefined>> {
  return perComponent((component) => {
    try {
      return parsePidFile(readFileSync(join(folder, 'run', `${component}.pid`), 'utf8'))?.process.pid;
    } catch {
      return undefined;
    }
  });
}

/** All processes in a directory, even if it has since been deleted, managed or orphaned. */
export function processesIn(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** The only cluster's directory. */
export function onlySubfolder(parent: string): string {
  const [name, ...others] = readdirSync(parent);
  if (name === undefined || others.length > 0) throw new Error(`${parent} holds ${others.length + 1} folders, not one`);
  return join(parent, name);
}

export function areAllKnown(pids: Readonly<Record<Component, number | undefined>>): boolean {
  return COMPONENTS.every((component) => pids[component] !== undefined);
}

/** Sends `kill -9`. Process ID 0 would address all of our own processes. */
export function kill(pid: number | undefined): void {
  if (pid === undefined) throw new Error('there is no process to kill');
  process.kill(pid, 'SIGKILL');
}
