import { CLUSTER_NODES_RULES } from './cluster-nodes.ts';
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

/** Cross-field rules for a Cluster. */
export const CLUSTER_RULES: readonly CrossFieldRule[] = [
  ...CLUSTER_NODES_RULES,
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.subnetID',
    cel: '!has(self.subnetID) || has(self.networkID)',
    holds: (network) => network.subnetID === undefined || network.networkID !== undefined,
    message: 'requires networkID, the network of the subnet: set both',
  }),
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.nodesCIDR',
    cel: '!has(self.nodesCIDR) || !has(self.networkID)',
    holds: (network) => network.nodesCIDR === undefined || network.networkID === undefined,
    message: 'is only for a subnet that Fairway creates: remove it, or remove networkID',
  }),
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.loadBalancersSubnetID',
    cel: '!has(self.loadBalancersSubnetID) || has(self.networkID)',
    holds: (network) => network.loadBalancersSubnetID === undefined || network.networkID !== undefined,
    message: 'requires networkID, the network of the subnet: set both',
  }),
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.dnsNameservers',
    cel: '!has(self.dnsNameservers) || self.dnsNameservers.size() == 0 || !has(self.networkID)',
    holds: ({ dnsNameservers = [], networkID }) => dnsNameservers.length === 0 || networkID === undefined,
    message:
      'is only for a subnet that Fairway creates: set the DNS servers of the existing subnet in OpenStack instead',
  }),
  crossFieldRule<Gateway>({
    path: 'spec.network.gateway',
    field: 'spec.network.gateway.routerID',
    cel: "!has(self.routerID) || self.mode == 'Router'",
    holds: (gateway) => gateway.routerID === undefined || gateway.mode === 'Router',
    message: 'is only for mode Router: remove it, or set mode to Router',
  }),
  crossFieldRule<Gateway>({
    path: 'spec.network.gateway',
    field: 'spec.network.gateway.externalNetworkID',
    cel: "!has(self.externalNetworkID) || self.mode == 'Router'",
    holds: (gateway) => gateway.externalNetworkID === undefined || gateway.mode === 'Router',
    message: 'is only for mode Router: remove it, or set mode to Router',
  }),
  crossFieldRule<Gateway>({
    path: 'spec.network.gateway',
    field: 'spec.network.gateway.address',
    cel: "!has(self.address) || self.mode == 'Custom'",
    holds: (gateway) => gateway.address === undefined || gateway.mode === 'Custom',
    message: 'is only for mode Custom: remove it, or set mode to Custom',
  }),
  crossFieldRule<Network>({
    path: 'spec.network',
    field: 'spec.network.podRoutes',
    cel: "!has(self.podRoutes) || self.podRoutes != 'Router' || (!has(self.networkID) && self.gateway.mode == 'Router' && !has(self.gateway.routerID))",
    holds: ({ podRoutes, networkID, gateway }) =>
      podRoutes !== 'Router' ||
      (networkID === undefined && gateway.mode === 'Router' && gateway.routerID === undefined),
    message:
      'requires a network and router created by Fairway: remove networkID and gateway.routerID, and keep gateway.mode at Router',
  }),
  crossFieldRule<Spec>({
    path: 'spec',
    field: 'spec.network.podRoutes',
    cel: "!has(self.network.podRoutes) || self.network.podRoutes != 'Router' || (has(self.cni.type) && self.cni.type == 'none')",
    holds: ({ network, cni }) => network.podRoutes !== 'Router' || cni.type === 'none',
    message: 'is only for a pod network that you install yourself: set spec.cni.type to none',
  }),
  ...CLUSTER_OPTION_RULES,
];
