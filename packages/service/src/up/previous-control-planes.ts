import { existsSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { ControlPlaneKind } from './choose-control-plane.ts';
import { type Home, identifyProcess } from './home.ts';

/**
 * How the control planes of a home run. Undefined while the home has none, so that binaries added after the first start
 * are considered. A home that another process uses keeps its kind, so that replicas agree.
 */
export function previousControlPlanes(home: Home): ControlPlaneKind | undefined {
  const storedKind = home.read(home.controlPlaneKind)?.trim();
  // Homes from before this was configurable contain simulated control planes.
  const previousKind =
    storedKind === 'process' || storedKind === 'simulated'
      ? storedKind
      : existsSync(home.clustersDatabase)
        ? 'simulated'
        : undefined;
  if (previousKind === undefined) return undefined;
  const isUsed = home.holders(identifyProcess).length > 0;
  return isUsed || hasControlPlanes(home) ? previousKind : undefined;
}

function hasControlPlanes(home: Home): boolean {
  const folders = [home.controlPlanes, home.simulatedControlPlanes];
  return (
    folders.some((path) => existsSync(path) && readdirSync(path).length > 0) || hasKeyspaces(home.clustersDatabase)
  );
}

/**
 * Whether the file contains simulated control planes, each with a keyspace. An unreadable file is assumed to contain
 * some.
 */
function hasKeyspaces(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    return database.prepare('select 1 from keyspace limit 1').get() !== undefined;
  } catch {
    return true;
  }
}
