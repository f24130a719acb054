import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, it } from 'vitest';
import { clusters } from '../kinds/cluster.ts';
import type { Kind } from '../kinds/kind.ts';
import { nodePools } from '../kinds/node-pool.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { ruleErrors } from './object-rules.ts';

const ID = '7c2a1c2e-9b3f-4e54-9f7e-0d6a1e1b2c3d';
const OTHER_ID = '0a1b2c3d-9b3f-4e54-9f7e-0d6a1e1b2c3d';

const cluster = aCluster({ plan: 'standard', network: { networkID: ID } });
const pool = aNodePool({ availabilityZones: ['a', 'b'] });

describe('rules of a Cluster', () => {
  it.each([
    [{ network: { subnetID: ID } }, 'spec.network.subnetID', 'requires networkID'],
    [{ network: { networkID: ID, nodesCIDR: '10.9.0.0/16' } }, 'spec.network.nodesCIDR', 'remove it'],
    [{ network: { loadBalancersSubnetID: ID } }, 'spec.network.loadBalancersSubnetID', 'requires networkID'],
    [{ network: { networkID: ID, dnsNameservers: ['9.9.9.9'] } }, 'spec.network.dnsNameservers', 'in OpenStack'],
    [{ network: { gateway: { mode: 'None' as const, routerID: ID } } }, 'spec.network.gateway.routerID', 'mode Router'],
    [
      { network: { gateway: { mode: 'Custom' as const, externalNetworkID: ID } } },
      'spec.network.gateway.externalNetworkID',
      'mode Router',
    ],
    [{ network: { gateway: { address: '10.0.0.1' } } }, 'spec.network.gateway.address', 'mode Custom'],
    [
      { kubeProxy: { mode: 'ipvs' as const, iptables: { syncPeriod: '30s' } } },
      'spec.kubeProxy.iptables',
      'mode iptables',
    ],
    [{ kubeProxy: { ipvs: { scheduler: 'lc' as const } } }, 'spec.kubeProxy.ipvs', 'mode ipvs'],
    [
      { kubeProxy: { mode: 'ipvs' as const, ipvs: { tcpTimeout: '3s' } } },
      'spec.kubeProxy.ipvs.tcpTimeout',
      'at least 5s',
    ],
  ])('refuses %j at %s', (spec, field, detail) => {
    expect(ruleErrors(clusters, aCluster(spec), undefined)).toMatchObject([
      { field, detail: expect.stringContaining(detail) },
    ]);
  });

  it.each([
    {},
    { network: { networkID: ID, subnetID: OTHER_ID, loadBalancersSubnetID: ID, gateway: { routerID: ID } } },
    { network: { nodesCIDR: '10.9.0.0/16', dnsNameservers: ['9.9.9.9'] } },
    { network: { gateway: { mode: 'Custom' as const, address: '10.0.0.1' } } },
    { kubeProxy: { mode: 'ipvs' as const, ipvs: { tcpTimeout: '0s' } } },
    { kubeProxy: { iptables: { syncPeriod: '30s' } } },
  ])('accepts %j', (spec) => {
    expect(ruleErrors(clusters, aCluster(spec), undefined)).toEqual([]);
  });

  it('finds errors that patterns do not detect', () => {
    const badCluster = { ...cluster, spec: { ...cluster.spec, podCIDR: '10.9.0.1/16' } };
    expect(ruleErrors(clusters, badCluster, undefined)).toMatchObject([
      { field: 'spec.podCIDR', value: '10.9.0.1/16', detail: expect.stringContaining('host bits zero') },
    ]);
  });

  it('names', () => {
    const errors = ruleErrors(clusters, aCluster({}, { name: 'x'.repeat(25) }), undefined);
    expect(errors).toMatchObject([{ field: 'metadata.name', detail: expect.stringContaining('24 characters') }]);
  });
});

const DAY = { name: 'day', start: '0 7 * * *', end: '0 20 * * *', minReplicas: 5 };

describe('rules for a NodePool', () => {
  it.each([
    [{ replicas: 3, minReplicas: 4 }, ['spec.replicas']],
    [{ replicas: 6, maxReplicas: 5 }, ['spec.replicas']],
    [{ replicas: 101 }, ['spec.replicas']],
    [{ replicas: 6, antiAffinity: true }, ['spec.replicas']],
    [{ replicas: 2, minReplicas: 3, maxReplicas: 2 }, ['spec.minReplicas', 'spec.replicas']],
    [{ antiAffinity: true, maxReplicas: 6 }, ['spec.maxReplicas']],
    [{ autoscaling: { schedules: [DAY] } }, ['spec.autoscaling.schedules']],
    [{ autoscaling: { enabled: true, schedules: [{ ...DAY, minReplicas: 101 }] } }, ['spec.autoscaling.schedules']],
    [{ upgradeStrategy: { maxSurge: 0 } }, ['spec.upgradeStrategy.maxSurge']],
    [{ upgradeStrategy: { maxSurge: '0%', maxUnavailable: '0%' } }, ['spec.upgradeStrategy.maxSurge']],
  ])('refuses %j at %j', (spec, fields) => {
    expect(ruleErrors(nodePools, aNodePool(spec), undefined).map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    { replicas: 0 },
    { replicas: 100 },
    { replicas: 5, antiAffinity: true },
    { replicas: 500, maxReplicas: 500 },
    { autoscaling: { enabled: true, schedules: [DAY] } },
    { upgradeStrategy: { maxSurge: 0, maxUnavailable: 1 } },
    { upgradeStrategy: { maxSurge: '0%', maxUnavailable: '1%' } },
  ])('accepts %j', (spec) => {
    expect(ruleErrors(nodePools, aNodePool(spec), undefined)).toEqual([]);
  });
});

describe('immutable fields', () => {
  const cases: [Kind, KubeObject, KubeObject, string, string][] = [
    [
      clusters,
      cluster,
      { ...cluster, spec: { ...cluster.spec, region: 'RegionTwo' } } as KubeObject,
      'spec.region',
      'it was not set',
    ],
    [
      clusters,
      cluster,
      { ...cluster, spec: { ...cluster.spec, podCIDR: '10.9.0.0/16' } } as KubeObject,
      'spec.podCIDR',
      'it was not set',
    ],
    [
      clusters,
      cluster,
      { ...cluster, spec: { ...cluster.spec, network: {} } } as KubeObject,
      'spec.network.networkID',
      ID,
    ],
    [
      nodePools,
      pool,
      { ...pool, spec: { ...pool.spec, antiAffinity: true } } as KubeObject,
      'spec.antiAffinity',
      'false',
    ],
  ];
  it.each(cases)('are validated for %s', (kind, old, changed, field, detail) => {
    const errors = ruleErrors(kind, changed, old).filter(({ type }) => type === 'FieldValueForbidden');
    expect(errors).toMatchObject([{ field, detail: expect.stringContaining(detail) }]);
  });

  it("exclude a pool's flavor and zones, since changing them replaces its nodes", () => {
    const changed = { ...pool, spec: { ...pool.spec, flavor: 'b3-16', availabilityZones: ['b'] } };
    expect(ruleErrors(nodePools, changed, pool)).toEqual([]);
  });

  it('accept the same value again', () => {
    expect(ruleErrors(clusters, structuredClone(cluster), cluster)).toEqual([]);
    expect(ruleErrors(nodePools, structuredClone(pool), pool)).toEqual([]);
  });
});

describe('stored values that violate a rule', () => {
  const old = aCluster({ network: { gateway: { mode: 'None', address: '10.0.0.1' } } });

  it('are accepted as long as they are unchanged', () => {
    const changed = { ...old, spec: { ...old.spec, updatePolicy: 'NeverUpdate' as const } };
    expect(ruleErrors(clusters, changed, old)).toEqual([]);
  });

  it('are refused once they are changed', () => {
    const changed = aCluster({ network: { gateway: { mode: 'None', address: '10.0.0.2' } } });
    expect(ruleErrors(clusters, changed, old)).toMatchObject([{ field: 'spec.network.gateway.address' }]);
  });

  it('do not exempt other items in their list', () => {
    const listed = (...allowedCIDRs: string[]) => {
      const newCluster = aCluster();
      return { ...newCluster, spec: { ...newCluster.spec, apiServer: { ...newCluster.spec.apiServer, allowedCIDRs } } };
    };
    expect(ruleErrors(clusters, listed('10.0.0.1/8'), listed('10.0.0.1/8'))).toEqual([]);
    expect(ruleErrors(clusters, listed('10.0.0.1/8', '11.0.0.1/8'), listed('10.0.0.1/8'))).toHaveLength(2);
  });
});
