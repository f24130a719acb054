import { nextUpgradeVersions } from '@fairway/api/domain/versions';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type KubernetesRelease, kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import type { Plan } from '@fairway/api/kinds/plan';
import { releasesOfPlan } from '@fairway/api/limits/version-window';
import { withConnection } from '../client/connect.ts';
import type { CliContext, GlobalOptions } from '../command/context.ts';
import type { OutputFormat } from '../command/options.ts';
import { renderRows } from '../output/rows.ts';
import { readPlans } from './allowing-plans.ts';

interface VersionsOptions {
  readonly cluster?: string;
  readonly plan?: string;
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
  /** With a plan: whether it allows the version, and its note on a limit that the version exceeds. */
  readonly allowed?: boolean;
  readonly limit?: string;
}

/** Prints the versions available for a new or an existing cluster. */
export async function listVersions(
  context: CliContext,
  globals: GlobalOptions,
  { cluster: name, plan: planName, all = false, output }: VersionsOptions,
): Promise<void> {
  await withConnection(context, globals, async ({ client, namespace }) => {
    const { signal } = context;
    const { items } = await client.resource(kubernetesReleases).list({ signal });
    const plan =
      planName === undefined
        ? undefined
        : (await readPlans({ client }, planName, signal)).find(({ metadata }) => metadata.name === planName);
    const rows = versionRows(items, context.clock.now(), plan);
    const shown =
      name === undefined
        ? rows.filter((row) => all || isForNewClusters(row))
        : versionsForCluster(rows, await client.resource(clusters).get(name, { namespace, signal }));
    if (shown.length === 0 && output === undefined) context.stderr.write(emptyMessage(name, planName));
    else context.stdout.write(renderRows(shown, plan === undefined ? COLUMNS : [...COLUMNS, ...PLAN_COLUMNS], output));
  });
}

function emptyMessage(cluster: string | undefined, plan: string | undefined): string {
  if (cluster !== undefined) return `No newer version is available for cluster ${cluster}.\n`;
  return plan === undefined
    ? 'No versions are available for new clusters. Use --all to list those that existing clusters run.\n'
    : `No versions are available for new clusters of plan ${plan}. Use --all to list the others, with the reasons.\n`;
}

/** Whether new clusters can use the version, under the plan if there is one. Pure. */
export function isForNewClusters({ phase, allowed = true }: VersionRow): boolean {
  return allowed && (phase === 'Supported' || phase === 'Preview');
}

/** Newest first; within the limits of the plan, if there is one. Pure. */
export function versionRows(
  catalogue: readonly KubernetesRelease[],
  nowMs: number,
  plan?: Plan,
): readonly VersionRow[] {
  const releases = releasesOfPlan(plan, { releases: catalogue, nowMs });
  return releases
    .map(({ spec, status, planProblem, planWarning }): VersionRow => {
      const limit = planProblem ?? planWarning;
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
        ...(plan !== undefined && { allowed: planProblem === undefined }),
        ...(limit !== undefined && { limit }),
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

const PLAN_COLUMNS = [
  ['ALLOWED', ({ allowed = true }: VersionRow) => (allowed ? 'yes' : 'no')],
  ['LIMIT', ({ limit = '' }: VersionRow) => limit],
] as const;
