import { CLUSTER_OPTION_RULES } from './cluster-option-rules.ts';
import { type CrossFieldRule, crossFieldRule } from './kind.ts';

interface Gateway {
  readonly mode: string;
  readonly externalNetworkID?: string | undefined;
  readonly routerID?: string | undefined;
  readonly address?: string | undefined;
}

interface Network {
  readonly networkID?: string | undefined;
  readonly subnetID?: string | undefined;
  readonly nodesCIDR?: string | undefined;
  readonly loadBalancersSubnetID?: string | undefined;
  readonly dnsNameservers?: readonly string[] | undefined;
  readonly podRoutes?: string | undefined;
  readonly gateway: Gateway;
}

interface Spec {
  readonly network: Network;
  readonly cni: { readonly type?: string | undefined };
}

/** Cross-field rules of a Cluster. */
export const CLUSTER_RULES: readonly CrossFieldRule[] = [
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.subnetID',
    cel: '!has(self.subnetID) || has(self.networkID)',
    holds: (network) => network.subnetID === undefined || network.networkID !== undefined,
    message: 'needs networkID, the network that the subnet is part of: set both',
  }),
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.nodesCIDR',
    cel: '!has(self.nodesCIDR) || !has(self.networkID)',
    holds: (network) => network.nodesCIDR === undefined || network.networkID === undefined,
    message: 'is for a subnet that Fairway creates: leave it out, or leave networkID out',
  }),
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.loadBalancersSubnetID',
    cel: '!has(self.loadBalancersSubnetID) || has(self.networkID)',
    holds: (network) => network.loadBalancersSubnetID === undefined || network.networkID !== undefined,
    message: 'needs networkID, the network that the subnet is part of: set both',
  }),
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.dnsNameservers',
    cel: '!has(self.dnsNameservers) || self.dnsNameservers.size() == 0 || !has(self.networkID)',
    holds: ({ dnsNameservers = [], networkID }) => dnsNameservers.length === 0 || networkID === undefined,
    message: 'is for a subnet that Fairway creates: set the name servers of the given subnet in OpenStack instead',
  }),
  crossFieldRule<Gateway>({
    path: 'spec.network.gateway',
    field: 'spec.network.gateway.routerID',
    cel: "!has(self.routerID) || self.mode == 'Router'",
    holds: (gateway) => gateway.routerID === undefined || gateway.mode === 'Router',
    message: 'is for mode Router: leave it out, or set mode to Router',
  }),
  crossFieldRule<Gateway>({
    path: 'spec.network.gateway',
    field: 'spec.network.gateway.externalNetworkID',
    cel: "!has(self.externalNetworkID) || self.mode == 'Router'",
    holds: (gateway) => gateway.externalNetworkID === undefined || gateway.mode === 'Router',
    message: 'is for mode Router: leave it out, or set mode to Router',
  }),
  crossFieldRule<Gateway>({
    path: 'spec.network.gateway',
    field: 'spec.network.gateway.address',
    cel: "!has(self.address) || self.mode == 'Custom'",
    holds: (gateway) => gateway.address === undefined || gateway.mode === 'Custom',
    message: 'is for mode Custom: leave it out, or set mode to Custom',
  }),
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.podRoutes',
    cel: "!has(self.podRoutes) || self.podRoutes != 'Router' || (!has(self.networkID) && self.gateway.mode == 'Router' && !has(self.gateway.routerID))",
    holds: ({ podRoutes, networkID, gateway }) =>
      podRoutes !== 'Router' ||
      (networkID === undefined && gateway.mode === 'Router' && gateway.routerID === undefined),
    message:
      "needs a network and a router of Fairway's making: leave out networkID and gateway.routerID, and gateway.mode at Router",
  }),
  crossFieldRule<Spec>({
    path: 'spec',
    field: 'spec.network.podRoutes',
    cel: "!has(self.network.podRoutes) || self.network.podRoutes != 'Router' || (has(self.cni.type) && self.cni.type == 'none')",
    holds: ({ network, cni }) => network.podRoutes !== 'Router' || cni.type === 'none',
    message: 'is for a pod network that you install yourself: set spec.cni.type to none',
  }),
  ...CLUSTER_OPTION_RULES,
];
