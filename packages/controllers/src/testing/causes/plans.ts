import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { type ProjectQuotaSpec, projectQuotas } from '@fairway/api/kinds/project-quota';
import { TEAM, type TestFairway } from '../test-fairway.ts';
import { type Cause, MINUTE_MS, type Steps } from './cause.ts';

function changePlan(spec: object): (fairway: TestFairway) => Promise<unknown> {
  return (fairway) => fairway.client.resource(plans).patch('free', { type: 'merge', value: { spec } });
}

function limitProject(spec: ProjectQuotaSpec): (fairway: TestFairway) => Promise<unknown> {
  return (fairway) => fairway.create(projectQuotas, { metadata: { name: 'project', namespace: TEAM }, spec });
}

/** A plan that cannot work: its largest quota is below the base. */
const broken: Pick<Steps, 'from' | 'begin'> = { from: 'nothing', begin: changePlan({ etcd: { maxMiB: 1 } }) };

/** Reports about plans, their limits and their promises. */
export const PLAN_CAUSES: readonly Cause[] = [
  {
    cause: 'A plan contradicts itself',
    by: { ...broken, request: () => undefined },
    kind: 'Plan',
    phase: undefined,
    reason: 'ConfigurationInvalid',
    message: 'spec.etcd.maxMiB: 1: must not be less than baseMiB (10): raise it, or lower baseMiB',
  },
  {
    cause: 'A plan names a plan in limitsFrom that does not exist',
    by: { from: 'nothing', begin: changePlan({ limitsFrom: 'lost' }), request: () => undefined },
    kind: 'Plan',
    phase: undefined,
    reason: 'ConfigurationInvalid',
    message: 'spec.limitsFrom: lost: no such plan exists: create it, or name another plan',
  },
  {
    cause: 'The plan of a new cluster contradicts itself',
    by: { ...broken, request: (fairway) => fairway.createCluster() },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'PlanNotReady',
    message:
      'spec.plan: plan "free" is not Ready and accepts no clusters: spec.etcd.maxMiB: 1: must not be less than baseMiB (10): raise it, or lower baseMiB',
  },
  {
    cause: 'The pools of a cluster request more nodes than the plan allows',
    by: {
      from: 'a cluster',
      begin: changePlan({ maxNodes: 1 }),
      request: (fairway) => fairway.patch(nodePools, 'general', { spec: { replicas: 3 } }),
    },
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'PlanLimitExceeded',
    message:
      'spec.replicas: 3: plan "free" allows 1 node per cluster, and the pools of the cluster request more: this pool gets 1, because older pools take precedence; scale down pools, or create a cluster with another plan',
  },
  {
    cause: 'The namespace has as many clusters as the plan allows',
    by: {
      from: 'a cluster',
      begin: changePlan({ maxClusters: 1 }),
      request: (fairway) => fairway.createCluster({}, 'second'),
    },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'PlanLimitExceeded',
    message:
      'spec.plan: free: the namespace already has 1 cluster on this plan, which allows 1: delete one, or create this one with another plan',
  },
  {
    cause: 'The pools of a project request more nodes than its quota allows',
    by: {
      from: 'a cluster',
      begin: limitProject({ nodes: 2 }),
      request: (fairway) => fairway.patch(nodePools, 'general', { spec: { replicas: 3 } }),
    },
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'ProjectQuotaExceeded',
    message:
      'spec.replicas: 3: the project\'s quota is 2 nodes (ProjectQuota "project"), and the pools of the namespace request more: this pool gets 2, because older pools take precedence; scale down pools, or ask the operator for a larger quota',
  },
  {
    cause: 'The project has as many clusters as its quota allows',
    by: {
      from: 'a cluster',
      begin: limitProject({ clusters: 1 }),
      request: (fairway) => fairway.createCluster({}, 'second'),
    },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'ProjectQuotaExceeded',
    message:
      'the project\'s quota is 1 cluster (ProjectQuota "project"), and the namespace already has 1 cluster: delete one, or ask the operator for a larger quota',
  },
  {
    cause: 'The plan no longer allows the flavor of a pool that grows',
    by: {
      from: 'a cluster',
      begin: changePlan({ allowed: { flavors: ['c3-*'] } }),
      request: (fairway) => fairway.patch(nodePools, 'general', { spec: { replicas: 2 } }),
    },
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'PlanLimitExceeded',
    message:
      'spec.flavor: b3-8: plan "free" allows the flavors "c3-*": choose one of them, or another plan. Existing nodes are unaffected',
  },
  {
    cause: 'The plan promises more copies of the control plane than Fairway runs',
    by: { from: 'nothing', begin: (fairway) => fairway.createCluster({ plan: 'standard' }), request: () => undefined },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'ControlPlaneHighlyAvailable',
    reason: 'SingleReplica',
    message:
      'plan "standard" promises a control plane with 3 replicas across several zones, but this Fairway runs 1 in 1 zone: the API server is unavailable whenever its machine is',
  },
  {
    cause: 'Stored fields have no effect yet',
    by: {
      from: 'nothing',
      begin: (fairway) => fairway.createCluster({ plan: 'standard', cni: { cilium: { hubble: { enabled: true } } } }),
      request: () => undefined,
    },
    afterMs: MINUTE_MS,
    kind: 'Cluster',
    phase: 'Ready',
    condition: 'FieldsApplied',
    reason: 'NotImplemented',
    message:
      'accepted, but ignored by this release: spec.cni.cilium.hubble.enabled (true): Fairway installs Cilium without a cluster mesh and without Hubble',
  },
  {
    cause: 'A plan that clusters use is deleted',
    by: {
      from: 'a cluster',
      begin: (fairway) => fairway.client.resource(plans).delete('free'),
      request: () => undefined,
    },
    kind: 'Plan',
    phase: undefined,
    reason: 'ResourceInUse',
    message:
      'is being deleted, but cluster team/demo uses it: it will be deleted when they no longer do, and new clusters cannot use it',
  },
  {
    cause: 'The cloud refuses to delete the network of a deleted cluster',
    by: {
      from: 'a cluster',
      begin: ({ cloud }) =>
        cloud.faults.add({
          service: 'network',
          method: 'DELETE',
          path: '/networks/',
          times: null,
          action: { kind: 'answer', status: 409, message: 'There are one or more ports still in use on the network.' },
        }),
      request: (fairway) => fairway.delete(clusters, 'demo'),
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Deleting',
    reason: 'ResourceInUse',
    message:
      'network fairway-demo ({id}) cannot be deleted: There are one or more ports still in use on the network; delete or detach whatever else uses it, and Fairway continues automatically; since {time}',
    event: {
      kind: 'Cluster',
      reason: 'ResourceInUse',
      message:
        'network fairway-demo ({id}) cannot be deleted: There are one or more ports still in use on the network; delete or detach whatever else uses it, and Fairway continues automatically',
    },
  },
];
