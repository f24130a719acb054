import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ETCD_DATA } from '../folder-layout.ts';

/** The folder of etcd's data below a cluster's: each restore makes another one. */
export function dataFolderName(generation: number | undefined): string {
  return generation ? `${ETCD_DATA}-${generation}` : ETCD_DATA;
}

export async function removeData(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Removes all data of etcd but those in use: what was before a restore, and what a crash has left of one. */
export async function removeOtherData(folder: string, generation: number | undefined): Promise<void> {
  const current = dataFolderName(generation);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const isData = entry.isDirectory() && /^etcd(-\d+)?$/.test(entry.name);
    if (isData && entry.name !== current) await removeData(join(folder, entry.name));
  }
}
