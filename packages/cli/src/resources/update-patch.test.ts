import { describe, expect, test } from 'vitest';
import { type ClusterChange, clusterPatch, type NodePoolChange, nodePoolPatch } from './update-patch.ts';

describe('the patch for a pool', () => {
  test.each<{ change: NodePoolChange; patch: object }>([
    { change: {}, patch: {} },
    { change: { cluster: 'demo', flavor: 'b3-16' }, patch: { clusterName: 'demo', flavor: 'b3-16' } },
    {
      change: { min: 0, max: 5, autoscaling: true },
      patch: { minReplicas: 0, maxReplicas: 5, autoscaling: { enabled: true } },
    },
    {
      change: { autoscaling: false, floatingIps: false },
      patch: { autoscaling: { enabled: false }, floatingIPs: { enabled: false } },
    },
    {
      change: { labels: { tier: 'web' }, removeLabels: ['old', 'tier'] },
      patch: { template: { metadata: { labels: { old: null, tier: 'web' } } } },
    },
    { change: { securityGroup: ['web', 'db'] }, patch: { securityGroups: ['web', 'db'] } },
    { change: { securityGroup: false }, patch: { securityGroups: null } },
    { change: { taints: false }, patch: { template: { spec: { taints: null } } } },
    {
      change: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      patch: { template: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } } },
    },
    { change: { rootVolume: 20, zones: ['a'] }, patch: { rootVolume: { sizeGiB: 20 }, availabilityZones: ['a'] } },
    {
      change: { network: [{ networkID: 'n', subnetID: 's' }] },
      patch: { networks: [{ networkID: 'n', subnetID: 's' }] },
    },
    { change: { network: false }, patch: { networks: null } },
    { change: { image: 'x', patch: { healing: null } }, patch: { image: 'x', healing: null } },
  ])('$change', ({ change, patch }) => {
    expect(nodePoolPatch(change)).toEqual(patch);
  });
});

describe('the patch for a cluster', () => {
  test.each<{ change: ClusterChange; patch: object }>([
    { change: {}, patch: {} },
    {
      change: { plan: 'standard', updatePolicy: 'NeverUpdate' },
      patch: { plan: 'standard', updatePolicy: 'NeverUpdate' },
    },
    { change: { allowedCidrs: ['10.0.0.0/8'] }, patch: { apiServer: { allowedCIDRs: ['10.0.0.0/8'] } } },
    { change: { maintenanceStart: '02:00' }, patch: { maintenance: { window: { start: '02:00' } } } },
    {
      change: { credential: 'c', image: 'i', patch: { maintenance: null } },
      patch: { credentialName: 'c', image: 'i', maintenance: null },
    },
  ])('$change', ({ change, patch }) => {
    expect(clusterPatch(change)).toEqual(patch);
  });
});
