import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { machinesByPool, poolKeyOf, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { isClusterRelevant, isRequestChanged } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { ownedByCluster } from '../owner-key.ts';
import { SecurityGroupsReconciler } from './reconciler.ts';

/** Maintains the security groups that a pool specifies on the ports of its servers. Keyed by NodePool. */
export const securityGroupsController: Declaration = {
  name: 'security-groups',
  concurrency: 20,
  rights: [
    { type: nodePools, verbs: READ },
    { type: nodePools, subresource: 'status', verbs: ['patch'] },
    { type: machines, verbs: READ },
    { type: clusters, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.nodePools, poolsByCluster), indexOn(cache.machines, machinesByPool)],
  watches: ({ cache }) => [
    // A record written for an older generation is checked again.
    watch(cache.nodePools, undefined, {
      isRelevant: (old, pool) =>
        isRequestChanged(old, pool) || !isDeepStrictEqual(old.status?.securityGroups, pool.status?.securityGroups),
    }),
    watch(cache.machines, (machine) => [poolKeyOf(machine)], {
      isRelevant: (old, machine) => old.status?.serverID !== machine.status?.serverID,
    }),
    watch(cache.clusters, (cluster) => cache.nodePools.find(poolsByCluster, keyOf(cluster)).map(keyOf), {
      isRelevant: isClusterRelevant,
    }),
  ],
  ownerKey: (key, { cache }) => ownedByCluster(cache.nodePools.get(key)),
  create(shared) {
    const reconciler = new SecurityGroupsReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
};
