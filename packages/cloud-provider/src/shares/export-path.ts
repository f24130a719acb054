import { isIPv6 } from 'node:net';
import type { ExportLocation } from '@fairway/openstack/types/shared-file-system';

export interface ExportPath {
  readonly server: string;
  readonly path: string;
}

/**
 * The export location for nodes: the preferred IPv4 location, if users can see which one is preferred; undefined if
 * there is no IPv4 location. Pure.
 */
export function exportPath(locations: readonly ExportLocation[]): ExportPath | undefined {
  const usableLocations = locations
    .filter((location) => !location.is_admin_only)
    .toSorted((a, b) => Number(b.preferred) - Number(a.preferred) || (a.id < b.id ? -1 : 1));
  return usableLocations.map(({ path }) => read(path)).find((each) => each !== undefined);
}

/** `10.0.0.10:/shares/share-1`. */
function read(text: string): ExportPath | undefined {
  const [, server = '', path = ''] = /^([^:/\s[\]]+):(\/\S*)$/.exec(text) ?? [];
  return server === '' || isIPv6(server) ? undefined : { server, path };
}
