import { existsSync, readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { ControlPlaneKind } from './choose-control-plane.ts';
import { type Home, identifyProcess } from './home.ts';

/**
 * How the control planes of a home run. Undefined while it has none: programs that came after the first start count then. A home that
 * another process uses keeps what it says, so that replicas agree.
 */
export function keptControlPlanes(home: Home): ControlPlaneKind | undefined {
  const said = home.read(home.controlPlaneKind)?.trim();
  // Homes from before this was configurable contain simulated ones.
  const kept =
    said === 'process' || said === 'simulated' ? said : existsSync(home.clustersDatabase) ? 'simulated' : undefined;
  if (kept === undefined) return undefined;
  const isUsed = home.holders(identifyProcess).length > 0;
  return isUsed || hasControlPlanes(home) ? kept : undefined;
}

function hasControlPlanes(home: Home): boolean {
  const folders = [home.controlPlanes, home.simulatedControlPlanes];
  return (
    folders.some((path) => existsSync(path) && readdirSync(path).length > 0) || hasKeyspaces(home.clustersDatabase)
  );
}

/** A keyspace for each simulated control plane. A file that cannot be read is taken for one that has some. */
function hasKeyspaces(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    return database.prepare('select 1 from keyspace limit 1').get() !== undefined;
  } catch {
    return true;
  }
}
