import type { FieldError } from '@fairway/kube/object/field-error';
import { sumOfReplicas } from '../domain/plan-limits.ts';
import type { Plan } from '../kinds/plan.ts';
import type { ClusterAdmission } from './cluster-admission.ts';

type ClusterLimits = Pick<ClusterAdmission, 'cluster' | 'old' | 'others' | 'pools' | 'plans'>;

/** Validates a Cluster against the plan's limits and the pools that already refer to it: pools may be created first. */
export function clusterLimitErrors(limits: ClusterLimits): FieldError[] {
  const plan = limits.plans.find(({ metadata }) => metadata.name === limits.cluster.spec.plan);
  if (plan === undefined) return [];
  return [...maxClustersErrors(limits, plan), ...poolSizeErrors(limits, plan), ...floatingIpErrors(limits)];
}

function maxClustersErrors({ cluster, old, others }: ClusterLimits, plan: Plan): FieldError[] {
  const { maxClusters } = plan.spec;
  const existing = others.filter(({ spec }) => spec.plan === cluster.spec.plan).length;
  if (old?.spec.plan === cluster.spec.plan || maxClusters === undefined || existing < maxClusters) return [];
  const detail = `the namespace has ${existing} clusters of plan "${cluster.spec.plan}", which is its limit: delete one, or choose another plan`;
  return [{ type: 'FieldValueForbidden', field: 'spec.plan', detail }];
}

function poolSizeErrors({ cluster, old, pools }: ClusterLimits, plan: Plan): FieldError[] {
  if (old?.spec.plan === cluster.spec.plan) return [];
  const own = poolsOf(cluster.metadata.name, pools);
  const wanted = sumOfReplicas(own);
  const { maxNodes } = plan.spec;
  if (wanted <= maxNodes) return [];
  const names = own.map(({ metadata, spec }) => `${metadata.name}: ${spec.replicas}`).join(', ');
  const detail = `plan "${plan.metadata.name}" allows ${maxNodes} nodes, and node pools that name the cluster ask for ${wanted} (${names}): scale them down, or choose another plan`;
  return [{ type: 'FieldValueForbidden', field: 'spec.plan', detail }];
}

function floatingIpErrors({ cluster, old, pools }: ClusterLimits): FieldError[] {
  const { mode } = cluster.spec.network.gateway;
  if (mode === 'Router' || mode === old?.spec.network.gateway.mode) return [];
  const pool = poolsOf(cluster.metadata.name, pools).find(({ spec }) => spec.floatingIPs.enabled);
  if (pool === undefined) return [];
  const detail = `node pool "${pool.metadata.name}" names the cluster and wants floating IPs, which need a router in front of the nodes: set it to Router, or leave floating IPs off in the pool`;
  return [{ type: 'FieldValueInvalid', field: 'spec.network.gateway.mode', value: mode, detail }];
}

function poolsOf(name: string | undefined, pools: ClusterLimits['pools']): ClusterLimits['pools'] {
  return pools.filter(({ spec, metadata }) => spec.clusterName === name && metadata.deletionTimestamp === undefined);
}
