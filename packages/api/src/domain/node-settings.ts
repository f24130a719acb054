import { createHash } from 'node:crypto';
import type { Cluster } from '../kinds/cluster.ts';
import type { MachineSpec } from '../kinds/machine.ts';
import type { NodePool } from '../kinds/node-pool.ts';

/**
 * System settings for nodes, from the pool and its cluster; absent if neither sets any. Changing them reinstalls the
 * nodes.
 */
export function nodeSettingsOf(pool: NodePool, cluster: Cluster | undefined): Pick<MachineSpec, 'nodeSettings'> {
  const { kubelet = {} } = pool.spec;
  const { registryMirrors = [], proxy } = cluster?.spec ?? {};
  const settings = {
    ...(Object.keys(kubelet).length > 0 && { kubelet }),
    ...(registryMirrors.length > 0 && { registryMirrors }),
    ...(proxy && { proxy }),
  };
  return Object.keys(settings).length === 0 ? {} : { nodeSettings: settings };
}

/** A short digest of settings, regardless of field order; undefined if there are no settings. */
export function settingsDigest({ nodeSettings }: Pick<MachineSpec, 'nodeSettings'>): string | undefined {
  if (nodeSettings === undefined) return undefined;
  return createHash('sha256').update(canonicalize(nodeSettings)).digest('hex').slice(0, 16);
}

function canonicalize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalize).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, each]) => `${JSON.stringify(key)}:${canonicalize(each)}`).join(',')}}`;
}
