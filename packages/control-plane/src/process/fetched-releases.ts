import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where `fairway releases fetch` stores data that all homes of a user share: `$XDG_DATA_HOME/fairway/releases`. */
export function releasesFolder(env: Readonly<Record<string, string | undefined>>): string {
  const data = env['XDG_DATA_HOME'] || join(env['HOME'] ?? homedir(), '.local/share');
  return join(data, 'fairway/releases');
}

/** The directory of a release below `releases`; if it exists, the release is complete. */
export function releaseFolder(releases: string, version: string): string {
  return join(releases, `v${version}`);
}

/** Directories of the fetched releases, newest first. */
export function fetchedReleases(releases: string): readonly string[] {
  if (!existsSync(releases)) return [];
  return readdirSync(releases)
    .filter((name) => /^v\d+\.\d+\.\d+$/.test(name))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(releases, name));
}
