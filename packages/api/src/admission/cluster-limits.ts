import type { FieldError } from '@fairway/kube/object/field-error';
import { sumOfReplicas } from '../domain/plan-limits.ts';
import { targetReplicas } from '../domain/target-replicas.ts';
import type { Plan } from '../kinds/plan.ts';
import { limitError } from '../limits/notes.ts';
import type { CatalogueSubnet } from './cloud-catalogue.ts';
import { type ClusterAdmission, isNewToPlan, isUndecided } from './cluster-admission.ts';
import { clusterCapacityErrors } from './node-capacity-errors.ts';

type ClusterLimits = Pick<ClusterAdmission, 'cluster' | 'old' | 'others' | 'pools' | 'plans'>;

/**
 * Validates a Cluster against its plan's limits, its addresses and the existing pools that refer to it, since pools
 * may be created first.
 */
export function clusterLimitErrors(limits: ClusterLimits, subnets?: readonly CatalogueSubnet[]): FieldError[] {
  const plan = limits.plans.find(({ metadata }) => metadata.name === limits.cluster.spec.plan);
  if (plan === undefined) return [];
  const { cluster, pools } = limits;
  const tooMany = poolSizeErrors(limits, plan);
  // An existing cluster's ranges don't change.
  if (tooMany.length === 0 && isUndecided(limits))
    tooMany.push(...clusterCapacityErrors(cluster, plan, pools, subnets));
  return [...maxClustersErrors(limits, plan), ...tooMany, ...floatingIpErrors(limits)];
}

function maxClustersErrors({ cluster, old, others }: ClusterLimits, plan: Plan): FieldError[] {
  const { maxClusters } = plan.spec;
  const existing = others.filter(({ spec }) => spec.plan === cluster.spec.plan).length;
  if (!isNewToPlan({ cluster, old }) || maxClusters === undefined || existing < maxClusters) return [];
  const detail = `the namespace has ${existing} ${existing === 1 ? 'cluster' : 'clusters'} of plan "${cluster.spec.plan}", which is its limit: delete one, or choose another plan`;
  return [limitError('maxClusters', { type: 'FieldValueForbidden', field: 'spec.plan', detail })];
}

function poolSizeErrors({ cluster, old, pools }: ClusterLimits, plan: Plan): FieldError[] {
  if (!isNewToPlan({ cluster, old })) return [];
  const own = poolsOf(cluster.metadata.name, pools);
  const desiredReplicas = sumOfReplicas(own);
  const { maxNodes } = plan.spec;
  if (desiredReplicas <= maxNodes) return [];
  const names = own.map((pool) => `${pool.metadata.name}: ${targetReplicas(pool)}`).join(', ');
  const detail = `plan "${plan.metadata.name}" allows ${maxNodes} nodes, but the node pools of the cluster have ${desiredReplicas} (${names}): scale them down, or choose another plan`;
  return [limitError('maxNodes', { type: 'FieldValueForbidden', field: 'spec.plan', detail })];
}

/** Floating IPs depend on the router and its external network: neither can be removed while floating IPs exist. */
function floatingIpErrors({ cluster, old, pools }: ClusterLimits): FieldError[] {
  const { gateway } = cluster.spec.network;
  const before = old?.spec.network.gateway;
  const pool = poolsOf(cluster.metadata.name, pools).find(({ spec }) => spec.floatingIPs.enabled);
  if (pool === undefined) return [];
  const name = pool.metadata.name;
  if (gateway.mode !== 'Router') {
    if (gateway.mode === before?.mode) return [];
    const detail = `node pool "${name}" of the cluster has floating IPs, which need a router in front of the nodes: set it to Router, or disable floating IPs in the pool`;
    return [{ type: 'FieldValueInvalid', field: 'spec.network.gateway.mode', value: gateway.mode, detail }];
  }
  if (before?.mode !== 'Router') return [];
  return (['routerID', 'externalNetworkID'] as const)
    .filter((field) => gateway[field] !== undefined && gateway[field] !== before[field])
    .filter((field) => gateway[field] !== old?.status?.network?.[field])
    .map((field) => {
      const detail = `node pool "${name}" has floating IPs, which would be lost with the current router or external network: disable them in the pool first`;
      return { type: 'FieldValueForbidden', field: `spec.network.gateway.${field}`, detail };
    });
}

function poolsOf(name: string | undefined, pools: ClusterLimits['pools']): ClusterLimits['pools'] {
  return pools.filter(({ spec, metadata }) => spec.clusterName === name && metadata.deletionTimestamp === undefined);
}
