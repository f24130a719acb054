import { type Cause, MINUTE_MS } from './cause.ts';

/** What is told of a spec that names what there is not. */
export const REFERENCE_CAUSES: readonly Cause[] = [
  {
    cause: 'A flavor is gone',
    by: 'an unknown flavor',
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'FlavorNotFound',
    message:
      '0/3 nodes are ready; {machine}: the cloud no longer has flavor b3-9; create another pool with one of `openstack flavor list`',
  },
  {
    cause: 'An image is gone',
    by: 'an unknown image',
    kind: 'NodePool',
    phase: 'Scaling',
    reason: 'ImageNotFound',
    message: 'spec.image: the cloud has no active image none such',
  },
  {
    cause: 'A network of the tenant is gone',
    by: {
      from: 'nothing',
      begin: (fairway) =>
        fairway.createCluster({
          network: {
            networkID: '11111111-1111-4111-8111-111111111111',
            subnetID: '22222222-2222-4222-8222-222222222222',
          },
        }),
      ask: () => undefined,
    },
    afterMs: 2 * MINUTE_MS,
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'NetworkNotFound',
    message:
      'spec.network.networkID: the project has no network {id}; choose one of `openstack network list`, or leave the field empty to have Fairway create one',
  },
  {
    cause: 'The plan is gone',
    by: { from: 'nothing', begin: (fairway) => fairway.createCluster({ plan: 'none-such' }), ask: () => undefined },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'PlanNotFound',
    message: 'spec.plan: Plan none-such no longer exists; the operator has to restore it',
  },
  {
    cause: 'The version is not offered',
    by: { from: 'nothing', begin: (fairway) => fairway.createCluster({ version: '1.99' }), ask: () => undefined },
    kind: 'Cluster',
    phase: 'Failed',
    reason: 'VersionNotOffered',
    message: 'spec.version: is not in the catalogue; choose one of {versions}',
  },
  {
    cause: 'The cluster of a pool is gone',
    by: { from: 'nothing', begin: (fairway) => fairway.createPool({ clusterName: 'lost' }), ask: () => undefined },
    kind: 'NodePool',
    phase: 'Failed',
    reason: 'ClusterNotFound',
    message: 'spec.clusterName: there is no cluster lost in namespace team',
  },
];
