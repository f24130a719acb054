import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { CommandError } from '@fairway/service/command-error';
import { unlike } from '../output/changes.ts';
import type { Manifest } from './manifest.ts';

/** The wanted objects that are there, and all pools of the wanted cluster. */
export type Existing = Manifest;

/**
 * What of the wanted objects is missing. A run that ended between two of them left a part of just these, which another completes; anything else of the
 * name is somebody's. Pure. Throws a CommandError if all is there, or if what is there is something else.
 */
export function toCreate(wanted: Manifest, existing: Existing): Manifest {
  const isMissing =
    (found: readonly (Cluster | NodePool)[]) =>
    ({ metadata }: Cluster | NodePool): boolean =>
      !found.some((each) => each.metadata.name === metadata.name);
  const missing = {
    clusters: wanted.clusters.filter(isMissing(existing.clusters)),
    pools: wanted.pools.filter(isMissing(existing.pools)),
  };
  const [cluster] = existing.clusters;
  const wantedPools = existing.pools.filter((pool) => !isMissing(wanted.pools)(pool));
  for (const found of [...existing.clusters, ...wantedPools]) refuseLeaving(found);
  const isAll = missing.clusters.length + missing.pools.length === 0;
  const different = [
    ...pairs(wanted.clusters, existing.clusters).flatMap(differences('cluster')),
    ...pairs(wanted.pools, wantedPools).flatMap(differences('node pool')),
  ];
  const others = existing.pools.filter(isMissing(wanted.pools));
  const [found] = [...existing.clusters, ...wantedPools];
  if (found === undefined || (!isAll && different.length === 0 && others.length === 0)) return missing;
  const subject = cluster === undefined ? 'node pool' : 'cluster';
  const { name = '' } = found.metadata;
  throw new CommandError(
    `${subject} "${name}" already exists${different.length > 0 ? `, and differs: ${different.join('; ')}` : ''}`,
    {
      advice: adviceFor(subject, name, missing.pools, others),
    },
  );
}

function adviceFor(
  subject: 'cluster' | 'node pool',
  name: string,
  missing: readonly NodePool[],
  others: readonly NodePool[],
): string {
  const verb = subject === 'cluster' ? 'cluster' : 'nodepool';
  const names = (pools: readonly NodePool[]) => pools.map(({ metadata }) => metadata.name).join(', ');
  const has = others.length === 0 ? '' : `it has the pools ${names(others)}; `;
  const [pool] = missing;
  if (pool === undefined) {
    return `${has}to wait for it: fairway ${verb} wait ${name}; to change it: fairway ${verb} update ${name}`;
  }
  const { clusterName, flavor, replicas } = pool.spec;
  return `${has}to add pool ${names(missing)}: fairway nodepool create ${pool.metadata.name} --cluster ${clusterName} --flavor ${flavor} --nodes ${replicas}`;
}

/** What of the wanted object the stored one has otherwise; what is left out is the server's to fill in. */
function differences(words: string) {
  return ([wanted, found]: readonly [Cluster | NodePool, Cluster | NodePool]): readonly string[] =>
    unlike(wanted, found).map((line) => `${words} "${found.metadata.name}" ${line}`);
}

function pairs<T extends Cluster | NodePool>(wanted: readonly T[], found: readonly T[]): readonly (readonly [T, T])[] {
  return wanted.flatMap((each) => {
    const same = found.find(({ metadata }) => metadata.name === each.metadata.name);
    return same === undefined ? [] : [[each, same] as const];
  });
}

function refuseLeaving({ metadata, kind }: Cluster | NodePool): void {
  if (metadata.deletionTimestamp === undefined) return;
  const verb = kind === 'NodePool' ? 'nodepool' : 'cluster';
  throw new CommandError(`"${metadata.name}" is still being deleted`, {
    advice: `create it again when it is gone: fairway ${verb} wait ${metadata.name} --for=deleted`,
  });
}
