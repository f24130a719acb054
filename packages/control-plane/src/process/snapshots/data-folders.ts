import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ETCD_DATA_FOLDER } from '../folder-layout.ts';

/** etcd's data directory in a cluster's directory. Each restore creates a new directory. */
export function dataFolderName(generation: number | undefined): string {
  return generation ? `${ETCD_DATA_FOLDER}-${generation}` : ETCD_DATA_FOLDER;
}

export async function removeData(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/**
 * Deletes all of etcd's data directories except for the current one: those from before a restore, and those that a
 * crash left half-written.
 */
export async function removeOtherData(folder: string, generation: number | undefined): Promise<void> {
  const current = dataFolderName(generation);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const isData = entry.isDirectory() && /^etcd(-\d+)?$/.test(entry.name);
    if (isData && entry.name !== current) await removeData(join(folder, entry.name));
  }
}
