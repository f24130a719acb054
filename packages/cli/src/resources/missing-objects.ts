import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { CommandError } from '@fairway/service/command-error';
import { differingFields } from '../output/changes.ts';
import type { Manifest } from './manifest.ts';

/** Requested objects that exist, and all pools of the requested cluster. */
export type Existing = Manifest;

/**
 * The requested objects that are missing. An interrupted run left only some of exactly these objects, and another run
 * completes them; any other object with the same name is foreign. Pure. Throws a CommandError if all of them exist, or
 * if an existing one differs.
 */
export function missingObjects(requested: Manifest, existing: Existing): Manifest {
  const isMissing =
    (found: readonly (Cluster | NodePool)[]) =>
    ({ metadata }: Cluster | NodePool): boolean =>
      !found.some((each) => each.metadata.name === metadata.name);
  const missing = {
    clusters: requested.clusters.filter(isMissing(existing.clusters)),
    pools: requested.pools.filter(isMissing(existing.pools)),
  };
  const [cluster] = existing.clusters;
  const requestedPools = existing.pools.filter((pool) => !isMissing(requested.pools)(pool));
  for (const found of [...existing.clusters, ...requestedPools]) requireNotTerminating(found);
  const isComplete = missing.clusters.length + missing.pools.length === 0;
  const different = [
    ...pairs(requested.clusters, existing.clusters).flatMap(differences('cluster')),
    ...pairs(requested.pools, requestedPools).flatMap(differences('node pool')),
  ];
  const others = existing.pools.filter(isMissing(requested.pools));
  const [found] = [...existing.clusters, ...requestedPools];
  if (found === undefined || (!isComplete && different.length === 0 && others.length === 0)) return missing;
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

/** The fields in which the stored object differs from the requested one; the server fills in omitted fields. */
function differences(words: string) {
  return ([requested, found]: readonly [Cluster | NodePool, Cluster | NodePool]): readonly string[] =>
    differingFields(requested, found).map((line) => `${words} "${found.metadata.name}" ${line}`);
}

function pairs<T extends Cluster | NodePool>(
  requested: readonly T[],
  found: readonly T[],
): readonly (readonly [T, T])[] {
  return requested.flatMap((each) => {
    const same = found.find(({ metadata }) => metadata.name === each.metadata.name);
    return same === undefined ? [] : [[each, same] as const];
  });
}

function requireNotTerminating({ metadata, kind }: Cluster | NodePool): void {
  if (metadata.deletionTimestamp === undefined) return;
  const verb = kind === 'NodePool' ? 'nodepool' : 'cluster';
  throw new CommandError(`"${metadata.name}" is still being deleted`, {
    advice: `create it again when it is gone: fairway ${verb} wait ${metadata.name} --for=deleted`,
  });
}
