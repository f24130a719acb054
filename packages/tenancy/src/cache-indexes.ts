import { ConditionReason } from '@fairway/api/conditions';
import { minorsInUse } from '@fairway/api/domain/in-use';
import { identityOf } from '@fairway/api/identity';
import { cloudProfileName } from '@fairway/api/kinds/cloud-profile';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { clusterKeyOf } from './cluster-key.ts';

/** Key of the CloudCredential for a cluster's project; undefined for the operator's own credential. */
export function credentialKeyOf({ metadata, spec }: Cluster): string | undefined {
  return spec.credentialName === undefined ? undefined : `${metadata.namespace}/${spec.credentialName}`;
}

/** Indexed by CloudCredential key. */
export const clustersByCredential: CacheIndex<Cluster> = {
  name: 'credential',
  valuesOf: (cluster) => [credentialKeyOf(cluster)].filter((key) => key !== undefined),
};

/** By the key of the CloudProfile that lists the cluster's options. */
export const clustersByProfile: CacheIndex<Cluster> = {
  name: 'profile',
  valuesOf: ({ metadata, spec }) => [`${metadata.namespace}/${cloudProfileName(spec.credentialName)}`],
};

/** By the minor version of each KubernetesRelease that the cluster uses. */
export const clustersByRelease: CacheIndex<Cluster> = { name: 'release', valuesOf: minorsInUse };

/** By the minor version from which the cluster was automatically upgraded. */
export const clustersByForcedUpgrade: CacheIndex<Cluster> = {
  name: 'forced-upgrade',
  valuesOf: ({ status }) => {
    const from = parseMinor(status?.forcedUpgrade?.from);
    return from === undefined ? [] : [`${from.major}.${from.minor}`];
  },
};

/** Indexed by Plan name. */
export const clustersByPlan: CacheIndex<Cluster> = { name: 'plan', valuesOf: ({ spec }) => [spec.plan] };

/** By the name of the Plan in their `limitsFrom`. */
export const plansByBase: CacheIndex<Plan> = {
  name: 'limits-from',
  valuesOf: ({ spec }) => (spec.limitsFrom === undefined ? [] : [spec.limitsFrom]),
};

/** By `identityOf`. */
export const clustersByIdentity: CacheIndex<Cluster> = {
  name: 'identity',
  valuesOf: (cluster) => [identityOf(cluster)],
};

/** Key of `clustersByMinor` for clusters that any release may affect. */
export const ANY_MINOR = '';

const REFUSED_CONDITION: ReadonlySet<string> = new Set([
  ConditionReason.VersionNotOffered,
  ConditionReason.ProgramsMissing,
]);

/**
 * The minor versions of the KubernetesReleases that matter to the cluster: the running version, possible upgrades and
 * the requested version. A cluster without a version yet, or with an unavailable version, is indexed under all
 * releases.
 */
export const clustersByMinor: CacheIndex<Cluster> = {
  name: 'minor',
  valuesOf: ({ spec, status }) => {
    const running = parseMinor(status?.version);
    const isRefused = status?.conditions?.some(({ reason }) => REFUSED_CONDITION.has(reason));
    if (running === undefined || isRefused) return [ANY_MINOR];
    const { major, minor } = running;
    const requestedMinor = parseMinor(spec.version) ?? running;
    return new Set([`${major}.${minor}`, `${major}.${minor + 1}`, `${requestedMinor.major}.${requestedMinor.minor}`]);
  },
};

/** Never throws: an index must accept any cached object. */
function parseMinor(version: string | undefined): { readonly major: number; readonly minor: number } | undefined {
  const match = /^(\d+)\.(\d+)/.exec(version ?? '');
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}

/** Indexed by the key of their Cluster. */
export const poolsByCluster: CacheIndex<NodePool> = { name: 'cluster', valuesOf: (pool) => [clusterKeyOf(pool)] };

/** Indexed by the key of their Cluster. */
export const machinesByCluster: CacheIndex<Machine> = {
  name: 'cluster',
  valuesOf: (machine) => [clusterKeyOf(machine)],
};

/** Key of the NodePool named by the machine; a recreated pool with the same name does not own the machine. */
export function poolKeyOf({ metadata, spec }: Machine): string {
  return `${metadata.namespace}/${spec.nodePoolName}`;
}

/** By `poolKeyOf`. */
export const machinesByPool: CacheIndex<Machine> = { name: 'pool', valuesOf: (machine) => [poolKeyOf(machine)] };

/** By `identityOf`. */
export const machinesByIdentity: CacheIndex<Machine> = {
  name: 'identity',
  valuesOf: (machine) => [identityOf(machine)],
};
