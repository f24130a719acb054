import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ETCD_DATA } from '../folder-layout.ts';

/** The folder of etcd's data below a cluster's: each restore makes another one. */
export function dataFolderName(generation: number | undefined): string {
  return generation ? `${ETCD_DATA}-${generation}` : ETCD_DATA;
}

export function removeData(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Removes all data of etcd but those in use: what was before a restore, and what a crash has left of one. */
export function removeOtherData(folder: string, generation: number | undefined): void {
  const current = dataFolderName(generation);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const isData = entry.isDirectory() && /^etcd(-\d+)?$/.test(entry.name);
    if (isData && entry.name !== current) rmSync(join(folder, entry.name), { recursive: true, force: true });
  }
}
