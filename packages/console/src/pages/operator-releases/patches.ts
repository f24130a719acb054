import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { PlanUsage } from '../operator-plans/plan-usage.ts';

export interface PatchRow {
  readonly version: string;
  readonly released: string | undefined;
  readonly clusters: number;
  readonly state: 'newest' | 'offered' | 'withdrawn' | 'unavailable' | 'unlisted';
}

/** Patches of a minor version, newest first: those in the release, plus any that clusters still run. */
export function patchRows(
  { spec, status }: Pick<KubernetesRelease, 'spec' | 'status'>,
  uses: ReadonlyMap<string, PlanUsage>,
): readonly PatchRow[] {
  const listed = spec.patches.map(({ version, released, withdrawn }): PatchRow => {
    const isAvailable = status?.available?.includes(version) ?? true;
    const offerState = version === status?.newest ? 'newest' : 'offered';
    const state = withdrawn ? 'withdrawn' : isAvailable ? offerState : 'unavailable';
    return { version, released, clusters: uses.get(version)?.clusters ?? 0, state };
  });
  const names = new Set(listed.map(({ version }) => version));
  const otherPatches = [...uses]
    .filter(([version]) => version.startsWith(`${spec.minor}.`) && !names.has(version))
    .map(([version, { clusters }]): PatchRow => ({ version, released: undefined, clusters, state: 'unlisted' }));
  return [...listed, ...otherPatches].sort((a, b) => patchOf(b.version) - patchOf(a.version));
}

function patchOf(version: string): number {
  return Number(version.split('.')[2] ?? 0);
}
