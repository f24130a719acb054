import { storageLimits } from '@fairway/api/domain/plan-storage';
import type { AddonFacts } from '../addon.ts';

/** Facts about a two-node cluster that runs 1.34.2 and has its own pod network. */
export function someFacts(facts: Partial<AddonFacts> = {}): AddonFacts {
  return {
    version: '1.34.2',
    oldestNodeVersion: undefined,
    coreDnsVersion: undefined,
    calicoVersion: undefined,
    flannelVersion: undefined,
    ciliumVersion: undefined,
    podNetwork: undefined,
    metricsServerVersion: undefined,
    cinderCsiVersion: undefined,
    storage: storageLimits({}),
    hasPolicyFile: false,
    limits: {},
    today: '2026-11-30',
    reachesNodes: true,
    server: 'https://demo.example.org:6443',
    podCIDR: '10.2.0.0/16',
    dnsAddress: '10.3.0.10',
    dnsDomain: 'cluster.local',
    kubeProxy: { mode: 'iptables' },
    hasSeveralNodes: true,
    nodeCount: 2,
    ...facts,
  };
}
