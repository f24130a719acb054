import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The directories of PATH, in order. */
export function foldersOnPath(env: Env): readonly string[] {
  return (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
}

/** The first executable file with this name in the directories. */
export function findExecutable(folders: readonly string[], name: string): string | undefined {
  return folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
