import type { NodePool } from '@fairway/api/kinds/node-pool';
import { DEFAULT_MASTER } from '../clusters/new-cluster.ts';
import { DEFAULT_WORKER } from '../clusters/record.ts';
import { defaultPool, poolName, type StoredCluster } from '../clusters/stored-cluster.ts';
import { nodegroupNotFound } from '../http/magnum-error.ts';
import { isUuid, stableUuid } from '../stable-uuid.ts';

/** UUID of the nodegroup that represents the control plane, which has no servers in the project. */
export function masterUuid({ cluster }: Pick<StoredCluster, 'cluster'>): string {
  return stableUuid(`nodegroup/${cluster.metadata.uid}/${DEFAULT_MASTER}`);
}

export function isMasterIdent(stored: StoredCluster, ident: string): boolean {
  return ident === DEFAULT_MASTER || ident === masterUuid(stored);
}

/** Finds a nodegroup by UUID or name; `default-worker` is the first group of a cluster that was not created through this API. Throws 404. */
export function findPool(stored: StoredCluster, ident: string): NodePool {
  const found =
    stored.pools.find(({ metadata }) => isUuid(ident) && metadata.uid === ident.toLowerCase()) ??
    stored.pools.find((pool) => poolName(pool) === ident) ??
    stored.pools.find(({ metadata }) => metadata.name === ident) ??
    (ident === DEFAULT_WORKER ? defaultPool(stored) : undefined);
  if (found === undefined) throw nodegroupNotFound(ident.slice(0, 255));
  return found;
}
