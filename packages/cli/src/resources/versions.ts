import { nextUpgradeVersions } from '@fairway/api/domain/versions';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { OutputFormat } from '../command/options.ts';
import { renderRows } from '../output/rows.ts';

interface VersionsOptions {
  readonly cluster?: string;
  readonly all?: boolean;
  readonly output?: OutputFormat;
}

/** An offered minor version. */
export interface VersionRow {
  readonly name: string;
  readonly phase: string;
  readonly newest?: string;
  readonly patches: readonly string[];
  readonly released?: string;
  readonly maintenanceMode?: string;
  readonly endOfLife?: string;
  /** Versions that its clusters can be upgraded to. */
  readonly upgradesTo: readonly string[];
}

/** Prints the versions available for a new or an existing cluster. */
export async function listVersions(
  context: CliContext,
  globals: GlobalOptions,
  { cluster: name, all = false, output }: VersionsOptions,
): Promise<void> {
  await withConnection(context, globals, async ({ client, namespace }) => {
    const { signal } = context;
    const { items } = await client.resource(kubernetesReleases).list({ signal });
    const rows = versionRows(items, context.clock.now());
    const shown =
      name === undefined
        ? rows.filter(({ phase }) => all || phase === 'Supported' || phase === 'Preview')
        : versionsForCluster(rows, await client.resource(clusters).get(name, { namespace, signal }));
    if (shown.length === 0 && output === undefined) context.stderr.write(emptyMessage(name));
    else context.stdout.write(renderRows(shown, COLUMNS, output));
  });
}

function emptyMessage(cluster: string | undefined): string {
  return cluster === undefined
    ? 'No versions are available for new clusters. Use --all to list those that existing clusters run.\n'
    : `No newer version is available for cluster ${cluster}.\n`;
}

/** Newest first. Pure. */
export function versionRows(releases: readonly KubernetesRelease[], nowMs: number): readonly VersionRow[] {
  return releases
    .map(({ spec, status }): VersionRow => {
      const { newest, phase, available = [] } = status ?? {};
      const { minor, released, maintenanceMode, endOfLife } = spec;
      return {
        name: minor,
        phase: phase ?? 'Unknown',
        ...(newest !== undefined && { newest }),
        patches: available,
        ...(released !== undefined && { released }),
        ...(maintenanceMode !== undefined && { maintenanceMode }),
        ...(endOfLife !== undefined && { endOfLife }),
        upgradesTo: nextUpgradeVersions(newest ?? minor, releases, nowMs),
      };
    })
    .toSorted((a, b) => b.name.localeCompare(a.name, 'en', { numeric: true }));
}

/** Versions that the cluster can be upgraded to: the next minor version, and its own if a newer patch exists. Pure. */
export function versionsForCluster(
  rows: readonly VersionRow[],
  { status }: Pick<Cluster, 'status'>,
): readonly VersionRow[] {
  const { nextUpgradeVersions: next = [], availablePatch } = status ?? {};
  return rows.filter(({ name, patches }) => next.includes(name) || patches.some((patch) => patch === availablePatch));
}

const COLUMNS = [
  ['VERSION', ({ name }: VersionRow) => name],
  ['PHASE', ({ phase }: VersionRow) => phase],
  ['NEWEST', ({ newest = '' }: VersionRow) => newest],
  ['RELEASED', ({ released = '' }: VersionRow) => released],
  ['FIXES ONLY FROM', ({ maintenanceMode = '' }: VersionRow) => maintenanceMode],
  ['END OF LIFE', ({ endOfLife = '' }: VersionRow) => endOfLife],
  ['UPGRADES TO', ({ upgradesTo }: VersionRow) => upgradesTo.join(', ')],
  ['PATCHES', ({ patches }: VersionRow) => patches.join(', '), 'wide'],
] as const;
