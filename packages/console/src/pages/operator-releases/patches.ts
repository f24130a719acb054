import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Use } from '../operator-plans/plan-use.ts';

export interface PatchRow {
  readonly version: string;
  readonly released: string | undefined;
  readonly clusters: number;
  readonly state: 'newest' | 'offered' | 'withdrawn' | 'unavailable' | 'unlisted';
}

/** Patches of a minor version, the newest first: those that are listed, and those that clusters still run. */
export function patchRows(
  { spec, status }: Pick<KubernetesRelease, 'spec' | 'status'>,
  uses: ReadonlyMap<string, Use>,
): readonly PatchRow[] {
  const listed = spec.patches.map(({ version, released, withdrawn }): PatchRow => {
    const isAvailable = status?.available?.includes(version) ?? true;
    const offered = version === status?.newest ? 'newest' : 'offered';
    const state = withdrawn ? 'withdrawn' : isAvailable ? offered : 'unavailable';
    return { version, released, clusters: uses.get(version)?.clusters ?? 0, state };
  });
  const names = new Set(listed.map(({ version }) => version));
  const others = [...uses]
    .filter(([version]) => version.startsWith(`${spec.minor}.`) && !names.has(version))
    .map(([version, { clusters }]): PatchRow => ({ version, released: undefined, clusters, state: 'unlisted' }));
  return [...listed, ...others].sort((a, b) => patchOf(b.version) - patchOf(a.version));
}

function patchOf(version: string): number {
  return Number(version.split('.')[2] ?? 0);
}
